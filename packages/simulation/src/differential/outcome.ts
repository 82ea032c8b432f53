import type { CallRecord } from '../driver/history.ts';
import type { Run } from '../driver/run-program.ts';
import type { LedgerRow } from '../programs/keys.ts';

/**
 * Returns what a run came to, without what may differ between two that are the same: times, texts in which addresses are, which
 * of the calls of a step was the first, where they wait for different things, and which results the object still stores
 * where what says that they have arrived may have been lost.
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

/** The numbers that a call returned are told from that of its own effect on. */
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

/** Lists where two outcomes differ, and how. */
export function differences(simulated: Record<string, unknown>, real: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(simulated), ...Object.keys(real)])].flatMap((what) => {
    const [here, there] = [JSON.stringify(simulated[what]), JSON.stringify(real[what])];
    return here === there ? [] : [`${what}: simulated ${here}, workerd ${there}`];
  });
}
