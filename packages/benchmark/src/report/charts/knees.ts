import type { CapacityResult, LaunchedLadder } from '../../capacity/record.ts';
import { subjectName } from '../../log/names.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import type { Line, Panel, PanelAxis } from '../frame/panel.ts';
import { panelsChart } from '../frame/panels.ts';
import { logDomain, logTicks } from '../frame/ticks.ts';
import { isPlain, seriesOf } from '../series.ts';

const SUBJECTS = ['lumenize', 'capnweb', 'raw'];
const PLAIN = ['capnweb-plain', 'raw-plain'];
const METHODS = { noop: 'no-op', insert: 'SQLite insert' } as const;
const HEIGHT = 144;
const WIDTH = 330;
/** A logarithmic axis has no place for nothing. */
const LEAST_MS = 0.01;
const LEAST_PER_S = 1;

type Rung = LaunchedLadder['rungs'][number];

/** How much load is carried: calls offered against calls completed, and against their p99. */
export const KNEES: ReportChart = {
  name: 'capacity',
  title: 'Capacity',
  alt: "Calls completed and their 99th percentile by calls offered, of Lumenize RPC, Cap'n Web and raw JSON",
  command: 'npm run measure -- --family capacity',
  draw(runs, theme) {
    const found = newestWith(runs, capacityOf);
    if (!found) return undefined;
    const [{ objective, connections }] = found.data;
    const cells = [...Map.groupBy(found.data, ({ scenario }) => scenario).values()];
    const panels = cells.flatMap((cell) => panelsOf(cell, objective.p99Ms));
    if (panels.length === 0) return undefined;
    return panelsChart(
      {
        title: 'How much load is carried',
        subtitle: [
          'Calls come when they are due, whatever became of those before, and are timed from then; of the median ladder.',
          `Ring: the knee, p99 within ${objective.p99Ms} ms. Thin: uncompressed. ${connections} connections, on workerd; ${takenWhen(found.run)}.`,
        ],
        panels,
        key: SUBJECTS.map((subject) => [seriesOf(subject), subjectName(subject)]),
        height: HEIGHT,
      },
      theme,
    );
  },
};

function capacityOf({ results }: RecordedRun): CapacityResult[] {
  return results.filter(
    (result): result is CapacityResult =>
      'ladders' in result && [...SUBJECTS, ...PLAIN].includes(result.subject) && result.ladders.length > 0,
  );
}

function panelsOf(results: readonly CapacityResult[], p99Ms: number): Panel[] {
  const [{ method, objects }] = results;
  const title = `${METHODS[method]}, ${objects === 1 ? 'one object' : `${objects} objects`}`;
  const curves = results.map((result) => ({
    ...{ series: seriesOf(result.subject), thin: isPlain(result.subject) },
    ...curveOf(result),
  }));
  const drawn = curves.filter((curve) => curve.rungs.length > 0);
  if (drawn.length === 0) return [];
  const rungs = drawn.flatMap((curve) => curve.rungs);
  const lines = (valueOf: (rung: Rung) => number): Line[] =>
    drawn.map(({ series, thin, rungs: own, knee }) => ({
      ...{ series, thin },
      points: own.map((rung) => [rung.offeredPerSecond, valueOf(rung)]),
      ...(knee && { marked: [knee.offeredPerSecond, valueOf(knee)] as const }),
    }));
  const x = axis(
    rungs.map(({ offeredPerSecond }) => offeredPerSecond),
    WIDTH,
    'calls offered per second, logarithmic',
  );
  const completed = axis(rungs.map(completedOf), HEIGHT, 'completed per s, log.');
  const p99 = axis([p99Ms, ...rungs.map(p99Of)], HEIGHT, 'p99 in ms, log.');
  return [
    { title, x, y: completed, lines: lines(completedOf) },
    { title: `${title}: p99`, x, y: { ...p99, reference: p99Ms }, lines: lines(p99Of) },
  ];
}

/** The rungs of the ladder whose knee is nearest to the median of all, from the lowest load to the highest. */
function curveOf({ ladders, kneePerSecond = 0 }: CapacityResult): { rungs: Rung[]; knee: Rung | undefined } {
  const distance = (ladder: LaunchedLadder) => Math.abs((ladder.kneePerSecond ?? 0) - kneePerSecond);
  const ladder = ladders.toSorted((a, b) => distance(a) - distance(b))[0];
  const all = [...ladder.rungs, ...(ladder.recovery ? [ladder.recovery.overload] : [])];
  // A load that was tried twice is drawn as it was the second time.
  const byLoad = new Map(all.map((rung) => [rung.offeredPerSecond, rung]));
  const loads = [...byLoad.values()].filter(({ offeredPerSecond }) => offeredPerSecond >= LEAST_PER_S);
  const rungs = loads.toSorted((a, b) => a.offeredPerSecond - b.offeredPerSecond);
  return { rungs, knee: rungs.find(({ offeredPerSecond }) => offeredPerSecond === ladder.kneePerSecond) };
}

function completedOf({ completedPerSecond }: Rung): number {
  return Math.max(LEAST_PER_S, Math.round(completedPerSecond));
}

function p99Of({ p99Ms }: Rung): number {
  return Math.max(LEAST_MS, p99Ms);
}

function axis(values: readonly number[], length: number, title: string): PanelAxis {
  const domain = logDomain(values);
  return { type: 'log', domain, ticks: logTicks(domain, length), title };
}
