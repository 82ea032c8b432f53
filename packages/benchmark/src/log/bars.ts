import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { BlockFindings } from '../blocks/record.ts';
import type { FrameCounts } from '../load/plan.ts';
import { frameCounts, sizeResults, timeResults } from '../run-record.ts';
import type { BarResult } from './bar-result.ts';
import { count, interval } from './format.ts';
import { RATIO_BARS, type RatioBar } from './ratio-bars.ts';

const CALL = {
  scenario: 'increment/sequential',
  must: { framesUp: 1, framesDown: 1, bytesUp: 30, bytesDown: 16 },
  aim: { framesUp: 1, framesDown: 1, bytesUp: 20, bytesDown: 10 },
} as const;
const CLIENT_GZIP_BYTES = { must: 8000, aim: 5000 } as const;

/** Compares a run with the bars that concern it, on workerd; a bar that it has no figures for is left out. */
export function barResults(run: BlockFindings): BarResult[] {
  return [...RATIO_BARS.flatMap((each) => ratioResult(run, each)), ...callResult(run), ...sizeResult(run)];
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
      must: `≥ ${must}`,
      aim: aimed(`≥ ${aim}`, found.ratio >= aim),
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
  const within = (limits: FrameCounts) =>
    (['framesUp', 'framesDown', 'bytesUp', 'bytesDown'] as const).every((key) => call[key] <= limits[key]);
  const text = (limits: FrameCounts) => {
    return `${limits.framesUp} + ${limits.framesDown} frames, ≤ ${limits.bytesUp} + ${limits.bytesDown} B`;
  };
  return [
    {
      name: 'frames and bytes of increment(), up + down',
      must: text(CALL.must),
      aim: aimed(text(CALL.aim), within(CALL.aim)),
      measured: `${count(call.framesUp)} + ${count(call.framesDown)} frames, ${count(call.bytesUp)} + ${count(call.bytesDown)} B`,
      outcome: within(CALL.must) ? 'met' : 'missed',
    },
  ];
}

function sizeResult(run: BlockFindings): BarResult[] {
  const size = sizeResults(run).find(({ subject }) => subject === 'lumenize');
  return size ? [clientSizeBar(size.gzip)] : [];
}

/** Compares what a page loads at once, to connect and call, with its bar. */
export function clientSizeBar(gzipBytes: number): BarResult {
  return {
    name: 'client bundle, gzip',
    must: `≤ ${CLIENT_GZIP_BYTES.must} B`,
    aim: aimed(`≤ ${CLIENT_GZIP_BYTES.aim} B`, gzipBytes <= CLIENT_GZIP_BYTES.aim),
    measured: `${gzipBytes} B`,
    outcome: gzipBytes <= CLIENT_GZIP_BYTES.must ? 'met' : 'missed',
  };
}

/** What is aimed at, and whether it is reached. */
export function aimed(aim: string, reached: boolean): string {
  return `${aim}: ${reached ? 'reached' : 'not yet'}`;
}

const HEAD = ['bar', 'outcome', 'must', 'aim', 'measured'];
const cellsOf = ({ name, outcome, must, aim, measured }: BarResult) => [name, outcome, must, aim ?? '', measured];

/** The bars as a markdown table. */
export function barTable(bars: readonly BarResult[]): string {
  return [HEAD, HEAD.map(() => '---'), ...bars.map(cellsOf)].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The bars as a text table. */
export function barText(bars: readonly BarResult[]): string {
  return textTable(HEAD, HEAD.length, bars.map(cellsOf));
}
