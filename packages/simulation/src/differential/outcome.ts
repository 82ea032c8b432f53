import type { CallRecord } from '../driver/history.ts';
import type { Run } from '../driver/run-program.ts';
import type { LedgerRow } from '../programs/keys.ts';

/**
 * Returns the outcome of a run without details that may differ between equal runs. These are times, texts with
 * addresses, and the order of calls of a step that wait for different things. They also are the results that the object
 * still stores, if the message that they have arrived may have been lost.
 */
export function outcomeOf({ history, report }: Run): Record<string, unknown> {
  const outcome: Record<string, unknown> = {};
  for (const call of history.calls) outcome[`${call.key} ${call.name}`] = outcomeOfCall(call, report.rows);
  const { rows } = report;
  outcome.ledger = rows.map(({ key, what, method }) => `${key} ${what} ${what === 'publish' ? '' : method}`).sort();
  outcome.values = rows.map(({ what, method, value }) => `${what} ${method} ${value}`).sort();
  outcome.newest = report.newest;
  outcome.live = Object.fromEntries(Object.entries(report.live).filter(([, count]) => count !== 0));
  outcome.left = history.left;
  const { lumenize_rpc_results: _, ...otherTables } = report.tables;
  outcome.tables = ['cut', 'close'].some((kind) => kind in history.faults) ? otherTables : report.tables;
  return outcome;
}

/** Returns the outcome of a call. Numbers that it returned are relative to the value of its own effect. */
function outcomeOfCall(call: CallRecord, rows: readonly LedgerRow[]): unknown {
  const { key, ok, told, value, items, end, callbacks, subscription } = call;
  const own = rows.find((row) => row.key === key && row.what === 'effect')?.value ?? 0;
  return {
    told: ok === undefined ? 'pending' : ok ? 'ok' : (told!.code ?? told!.message),
    value: typeof value === 'number' ? value - own : value,
    items: call.mapped === undefined ? items.map((item) => (item - own) & 255) : items.length,
    end: typeof end === 'object' ? (end.code ?? end.message) : end,
    callbacks,
    events: subscription?.items.map(({ sequence, missed }) => [sequence, missed]),
  };
}

/** Lists the differences between two outcomes. */
export function differences(simulated: Record<string, unknown>, real: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(simulated), ...Object.keys(real)])].flatMap((what) => {
    const [here, there] = [JSON.stringify(simulated[what]), JSON.stringify(real[what])];
    return here === there ? [] : [`${what}: simulated ${here}, workerd ${there}`];
  });
}
