import { type Random, seededRandom } from '@lumenize/hosts/random';
import type { Arm, Block } from '../../src/engine/plan.ts';
import { schedule } from '../../src/engine/schedule.ts';

export const SCENARIO = 'getValue/sequential';

/** By how much slower the machine is at a point of a launch, from 0 at its start to 1 at its end. */
export type Drift = (progress: number) => number;

/** A run on a machine that is as unsteady as shared ones are; without `drift` its speed wanders by a few percent. */
const USUAL = {
  ...{ launches: 6, rounds: 8 },
  /** Standard deviation, as a share, of what a launch adds to an arm, the same in all of its blocks. */
  launchEffect: 0.01,
  drift: ((): number => 1) as Drift,
};
export type Simulated = typeof USUAL;

/** Standard deviation of a block's own time; its tails are heavy, as those of Student's t with three degrees. */
const BLOCK_NOISE = 0.05;
/** One block in so many is an outlier: something else had the core. It takes up to three times as long. */
const OUTLIER_EVERY = 33;
/** Launches run at speeds that differ by this much, which all arms share. */
const MACHINE_NOISE = 0.1;
/** The speed wanders from block to block, and half of that lasts to the next. */
const WANDERING = 0.03;
const LASTING = 0.5;

/**
 * Makes the blocks that the launches of a run report whose true ratios are known: `costs` are the times of a block of each arm,
 * in ms. The same seed has the same noise, whatever else differs.
 */
export function simulatedRun(
  costs: Readonly<Record<string, number>>,
  seed: number,
  options: Partial<Simulated>,
): Block[][] {
  const { launches, rounds, launchEffect, drift } = { ...USUAL, ...options };
  const random = seededRandom(seed);
  const arms = Object.keys(costs).map((id): Arm => ({ id, subject: 'raw' }));
  return Array.from({ length: launches }, () => {
    const effects = new Map(arms.map(({ id }) => [id, Math.exp(launchEffect * normal(random))]));
    const machine = Math.exp(MACHINE_NOISE * normal(random));
    const turns = schedule([{ scenario: SCENARIO, arms, rounds, mirrored: true }], random);
    let wandered = 0;
    return turns.map(({ scenario, arm: { id }, round, pass }, i): Block => {
      wandered = LASTING * wandered + WANDERING * normal(random);
      const outlier = random() * OUTLIER_EVERY < 1 ? 1 + 2 * random() : 1;
      const own = costs[id] * effects.get(id)! * Math.exp(BLOCK_NOISE * heavyTailed(random)) * outlier;
      const totalMs = own * machine * Math.exp(wandered) * drift(i / turns.length);
      return { scenario, arm: id, round, pass, totalMs, samplesMs: [totalMs] };
    });
  });
}

/** A draw from the standard normal distribution, by Box and Muller's method. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Student's t with three degrees of freedom, scaled to a standard deviation of 1. */
function heavyTailed(random: Random): number {
  const squares = normal(random) ** 2 + normal(random) ** 2 + normal(random) ** 2;
  return normal(random) / Math.sqrt(squares);
}
