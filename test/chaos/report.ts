import { textTable } from '../../tools/text-table/text-table.ts';
import type { ChaosReport } from './run-chaos.ts';

/** The number of failures listed of one kind. Failures of a kind differ in numbers only. */
const LISTED = 3;

/** Returns the report as text: tables of what happened, and a list of failures. */
export function describeReport(report: ChaosReport): string {
  const parts = [
    outcomes(report),
    textTable(
      ['fault', 'times'],
      1,
      Object.entries(report.faults).map(([fault, times]) => [fault, times]),
    ),
    `${report.connections} connections${report.filled ? '' : '; no disk could be mounted that can be full'}`,
  ];
  if (Object.keys(report.events).length > 0) parts.push(happened(report));
  const { events: seen, gaps, renewals } = report.followed;
  parts.push(`followers saw ${seen} events and ${gaps} gaps, and subscribed again ${renewals} times`);
  const { wrong, seed } = report;
  if (wrong.length === 0) parts.push(`nothing is wrong (seed ${seed})`);
  else parts.push([`WRONG, with seed ${seed}:`, ...byKind(wrong)].join('\n  '));
  return parts.join('\n\n');
}

function byKind(sentences: readonly string[]): string[] {
  const kinds = Map.groupBy(sentences, (sentence) => sentence.replace(/\d+/g, ''));
  return [...kinds.values()].flatMap((same) => {
    const more = same.length > LISTED ? [`  … and ${same.length - LISTED} more like this`] : [];
    return [...same.slice(0, LISTED), ...more];
  });
}

function outcomes({ calls }: ChaosReport): string {
  const methods = [...new Set(calls.map(({ method }) => method))].sort();
  const names = [...new Set(calls.map(({ outcome }) => outcome))].sort();
  const count = (outcome: string, method: string) =>
    calls.filter((call) => call.outcome === outcome && call.method === method).length;
  return textTable(
    ['outcome', ...methods],
    1,
    names.map((outcome) => [outcome, ...methods.map((method) => count(outcome, method))]),
  );
}

function happened({ events, resumed }: ChaosReport): string {
  const rows = Object.entries(events).map(([event, times]) => {
    const ms = [...(resumed[event as keyof typeof resumed] ?? [])].sort((a, b) => a - b);
    const shown = ms.length === 0 ? ['', ''] : [ms[Math.floor(ms.length / 2)], ms.at(-1)!].map((n) => n.toFixed());
    return [event, times, ...shown];
  });
  return textTable(['event', 'times', 'ms until a client is answered again: median', 'longest'], 1, rows);
}
