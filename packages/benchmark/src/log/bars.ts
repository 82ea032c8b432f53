import { type BlockFindings, frameCounts, sizeResults, timeResults } from '../run-record.ts';
import { count, interval } from './format.ts';

/** How a run stands against one of the bars that the project has set itself. */
export interface BarResult {
  readonly name: string;
  readonly must: string;
  readonly measured: string;
  readonly outcome: 'met' | 'met, but the interval reaches below' | 'missed' | 'no conclusion';
}

interface RatioBar {
  readonly name: string;
  readonly scenario: string;
  readonly subject: string;
  readonly baseline: string;
  readonly must: number;
  readonly aim?: number;
}

const RATIO_BARS: readonly RatioBar[] = [
  bar('read, one at a time, against Cap’n Web', 'getValue/sequential', 'lumenize', 'capnweb', 1.1),
  bar('read, hibernation off, against Cap’n Web', 'getValue/sequential', 'lumenize-accept', 'capnweb', 1.2),
  bar('read, against raw JSON', 'getValue/sequential', 'lumenize', 'raw', 0.92),
  bar('read, hibernation off, against raw JSON', 'getValue/sequential', 'lumenize-accept', 'raw-accept', 0.92),
  bar('increment, against raw JSON', 'increment/sequential', 'lumenize', 'raw', 0.92),
  bar('increment, hibernation off, against raw JSON', 'increment/sequential', 'lumenize-accept', 'raw-accept', 0.92),
  bar('100 increments in one turn, against Cap’n Web', 'increment/one-turn-100', 'lumenize', 'capnweb', 15),
  bar('connect to first result, against Cap’n Web', 'connect/first-result', 'lumenize', 'capnweb', 1),
  bar('three-step pipeline, against Cap’n Web', 'pipeline/chain-3', 'lumenize', 'capnweb', 1.3, 1.8),
  bar('an event to 1000 subscribers, against Cap’n Web callbacks', 'events/to-1000', 'lumenize', 'capnweb', 5, 15),
  bar(
    '20 events to 1000 subscribers, against Cap’n Web callbacks',
    'events/to-1000-burst',
    'lumenize',
    'capnweb',
    5,
    15,
  ),
  bar('200 rows echoed, against Cap’n Web', 'echo/rows-200', 'lumenize', 'capnweb', 1.5, 2),
  bar('64 KiB of bytes echoed, against Cap’n Web', 'echo/bytes-64KiB', 'lumenize', 'capnweb', 2, 4),
  bar('1 MiB of bytes echoed, against Cap’n Web', 'echo/bytes-1MiB', 'lumenize', 'capnweb', 3, 8),
];

const CALL = { scenario: 'increment/sequential', framesUp: 1, framesDown: 1, bytesUp: 30, bytesDown: 16 } as const;
const CLIENT_GZIP_BYTES = 8000;

/** Compares a run with the bars that concern it, on workerd; a bar that it has no figures for is left out. */
export function barResults(run: BlockFindings): BarResult[] {
  return [...RATIO_BARS.flatMap((each) => ratioResult(run, each)), ...callResult(run), ...sizeResult(run)];
}

function bar(name: string, scenario: string, subject: string, baseline: string, must: number, aim?: number): RatioBar {
  return { name, scenario, subject, baseline, must, aim };
}

function ratioResult(run: BlockFindings, { name, must, aim, ...wanted }: RatioBar): BarResult[] {
  const found = run.comparisons.find(
    ({ host, scenario, subject, baseline }) =>
      host === 'workerd' && scenario === wanted.scenario && subject === wanted.subject && baseline === wanted.baseline,
  );
  if (!found) return [];
  return [
    {
      name,
      must: aim === undefined ? `≥ ${must}` : `≥ ${must} (aim ${aim})`,
      // Three decimals: a ratio just below its bar must not look as if it had reached it.
      measured: `${found.ratio.toFixed(3)} (${interval(found.ci95)})`,
      outcome:
        found.verdict === 'no conclusion'
          ? 'no conclusion'
          : found.ratio < must
            ? 'missed'
            : found.ci95[0] < must
              ? 'met, but the interval reaches below'
              : 'met',
    },
  ];
}

function callResult(run: BlockFindings): BarResult[] {
  const result = timeResults(run).find(({ scenario, subject }) => scenario === CALL.scenario && subject === 'lumenize');
  const call = result && frameCounts(result);
  if (!call) return [];
  const met = (['framesUp', 'framesDown', 'bytesUp', 'bytesDown'] as const).every((key) => call[key] <= CALL[key]);
  return [
    {
      name: 'frames and bytes of increment(), up + down',
      must: `${CALL.framesUp} + ${CALL.framesDown} frames, ≤ ${CALL.bytesUp} + ${CALL.bytesDown} B`,
      measured: `${count(call.framesUp)} + ${count(call.framesDown)} frames, ${count(call.bytesUp)} + ${count(call.bytesDown)} B`,
      outcome: met ? 'met' : 'missed',
    },
  ];
}

function sizeResult(run: BlockFindings): BarResult[] {
  const size = sizeResults(run).find(({ subject }) => subject === 'lumenize');
  if (!size) return [];
  return [
    {
      name: 'client bundle, gzip',
      must: `≤ ${CLIENT_GZIP_BYTES} B`,
      measured: `${size.gzip} B`,
      outcome: size.gzip <= CLIENT_GZIP_BYTES ? 'met' : 'missed',
    },
  ];
}

/** The bars as a markdown table. */
export function barTable(bars: readonly BarResult[]): string {
  const rows = bars.map(({ name, must, measured, outcome }) => [name, must, measured, outcome]);
  const head = ['bar, on workerd', 'must', 'measured', 'outcome'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
