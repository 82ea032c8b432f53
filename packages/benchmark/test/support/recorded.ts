import { seededRandom } from '@lumenize/hosts/random';
import { CONTROL } from '../../src/blocks/arms.ts';
import type { RecordedRun } from '../../src/recorded/recorded-run.ts';
import { compare } from '../../src/statistics/comparison.ts';
import { comparison, fixedRun } from './fixed-run.ts';
import { type Simulated, simulatedRun } from './simulated-run.ts';
import { SCENARIO } from './synthetic-launches.ts';

/** A run as a file has it, of the small run with known figures. */
export function recorded(changes: Partial<RecordedRun> = {}): RecordedRun {
  return { ...(fixedRun() as RecordedRun), ...changes };
}

/** A run on the n-th hour of a day, of a commit, that read at this ratio to Cap'n Web, exact to 1 %. */
export function reading(hour: number, commit: string, ratio: number, changes: Partial<RecordedRun> = {}): RecordedRun {
  return recorded({
    takenAt: new Date(Date.UTC(2026, 10, 20, hour)).toISOString(),
    commit,
    comparisons: [
      comparison('getValue/sequential', 'lumenize', 1, [0.99, 1.01], 'no difference shown'),
      comparison('getValue/sequential', 'capnweb', ratio, [ratio / 1.01, ratio * 1.01], 'faster'),
    ],
    ...changes,
  });
}

/** A run whose comparison of `lumenize`, which takes so many ms, with Cap'n Web, which takes 12, and itself is simulated. */
export function simulatedRecord(
  lumenizeMs: number,
  options: Partial<Simulated> & { readonly seed: number },
): RecordedRun {
  const costs = { lumenize: lumenizeMs, capnweb: 12, [CONTROL.id]: lumenizeMs };
  const blocks = simulatedRun({ costs, ...options });
  return recorded({ comparisons: compare('workerd', blocks, [SCENARIO], seededRandom(options.seed)) });
}
