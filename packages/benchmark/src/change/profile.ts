import { CONTROL } from '../blocks/arms.ts';
import type { Profile } from '../blocks/profiles.ts';
import type { Extent } from '../families/family.ts';
import { SOURCES } from '../load/client-bundle.ts';
import type { Arm } from '../load/plan.ts';

/** The most rounds of each scenario in a launch. */
const ROUNDS: Readonly<Record<string, number>> = {
  'getValue/sequential': 14,
  'connect/first-result': 12,
  'increment/one-turn-100': 10,
  'increment/sequential': 8,
  'getValue/in-flight': 8,
};

/** The arm of the earlier state, under a name that says which. */
export function earlierArm(hash: string): Arm {
  return { id: `at-${hash}`, subject: 'earlier' };
}

/** The counter through the code that there is and through that of an earlier commit, in the same launches. */
export function changeProfile(extent: Extent, hash: string): Profile {
  const quick = extent === 'quick';
  // Twice as the other: a server and a client that are called twice as often are warmer.
  const earlier = earlierArm(hash);
  const again: Arm = { ...earlier, id: `${earlier.id}-again` };
  const arms: readonly Arm[] = [{ id: 'lumenize', subject: 'lumenize' }, CONTROL, earlier, again];
  return {
    sizes: false,
    warmUp: !quick,
    countFrames: Object.keys(ROUNDS),
    conditions: SOURCES,
    budgetMs: 110_000,
    latestMs: 120_000,
    compared: { pairs: [{ subject: 'lumenize', baseline: earlier.id }], control: CONTROL },
    hosts: [
      {
        host: 'workerd',
        launches: quick ? 1 : 6,
        atLeast: 3,
        limitMs: 14_000,
        scenarios: Object.entries(ROUNDS).map(([scenario, rounds]) => ({
          ...{ scenario, arms },
          rounds: quick ? 1 : rounds,
          leading: quick ? 1 : 2,
          mirrored: !quick,
        })),
      },
    ],
  };
}
