import type { TopLevelSpec } from 'vega-lite';
import type { RecordedRun } from '../recorded/recorded-run.ts';
import type { Theme } from './theme.ts';

/** A chart of the report. */
export interface ReportChart {
  /** What its files are called. */
  readonly name: string;
  /** What it shows, in a heading and in a sentence. */
  readonly title: string;
  readonly alt: string;
  /** The command that measures what it shows. */
  readonly command: string;
  /** Describes it, of the newest of these runs that have what it shows, oldest first; `undefined` where none has. */
  draw(runs: readonly RecordedRun[], theme: Theme): TopLevelSpec | undefined;
}

/** What a chart shows, and the run that it is from. */
export interface Found<Data> {
  readonly run: RecordedRun;
  readonly data: Data;
}

/** Returns what `pick` finds in the newest run in which it finds something; runs are oldest first. */
export function newestWith<Item>(
  runs: readonly RecordedRun[],
  pick: (run: RecordedRun) => readonly Item[],
): Found<readonly Item[]> | undefined {
  for (const run of runs.toReversed()) {
    const data = pick(run);
    if (data.length > 0) return { run, data };
  }
  return undefined;
}

/** Says in a chart's subtitle which run it is of. */
export function takenWhen({ takenAt, commit, dirty }: RecordedRun): string {
  return `${takenAt.slice(0, 10)}, commit ${commit}${dirty ? '+dirty' : ''}`;
}
