import { seededRandom } from '@lumenize/hosts/random';
import type { Arm, Block } from '../../src/load/plan.ts';
import { schedule } from '../../src/load/schedule.ts';

/** A machine and arms whose true costs are known. */
export interface Synthetic {
  /** True time of a block of each arm, in ms. */
  readonly costs: Readonly<Record<string, number>>;
  readonly launches: number;
  readonly rounds: number;
  /** Each block's time varies by up to this share, at random. */
  readonly noise: number;
  /** By how much slower the machine is at the end of a launch than at its start, as a share. */
  readonly drift?: number;
  /** By how much launches differ from one another in the ratio of the first arm to the others, at random. */
  readonly launchEffect?: number;
  readonly seed?: number;
}

export const SCENARIO = 'getValue/sequential';

/** Makes the blocks that launches on such a machine would report, laid out by the real schedule. */
export function syntheticLaunches({
  costs,
  launches,
  rounds,
  noise,
  drift = 0,
  launchEffect = 0,
  seed = 1,
}: Synthetic) {
  const random = seededRandom(seed);
  const spread = (share: number) => 1 + share * (2 * random() - 1);
  const arms = Object.keys(costs).map((id): Arm => ({ id, subject: 'raw' }));
  return Array.from({ length: launches }, (): Block[] => {
    const turns = schedule([{ scenario: SCENARIO, arms, rounds, mirrored: true }], random);
    const effect = spread(launchEffect);
    return turns.map(({ scenario, arm, round, pass }, i) => {
      const slower = 1 + (drift * i) / turns.length;
      const own = arm.id === arms[0].id ? effect : 1;
      const totalMs = costs[arm.id] * own * slower * spread(noise);
      return { scenario, arm: arm.id, round, pass, totalMs, samplesMs: [totalMs] };
    });
  });
}
