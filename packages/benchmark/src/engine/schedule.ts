import { type Random, shuffled } from '@lumenize/hosts/random';
import type { Arm, ScenarioPlan } from './plan.ts';

/** One block to run: the next arm's turn. */
export interface Turn<Subject extends string = string> {
  readonly scenario: string;
  readonly arm: Arm<Subject>;
  readonly round: number;
  readonly pass: 0 | 1;
  /** Every scenario that is measured at all has a round in slot 0; later slots may be left out for want of time. */
  readonly slot: number;
}

/** Returns the number of blocks that the plan measures. */
export function plannedBlocks(scenarios: readonly ScenarioPlan[]): number {
  return scenarios.reduce(
    (sum, { arms, rounds, mirrored = true }) => sum + arms.length * rounds * (mirrored ? 2 : 1),
    0,
  );
}

/**
 * Lays out the blocks of a launch. The rounds of all scenarios are spread over its whole length; within a round the
 * arms have their turns in a random order and, where the plan says so, once more in the reverse of it (ABBA for two).
 */
export function schedule<Subject extends string>(
  plans: readonly ScenarioPlan<Subject>[],
  random: Random,
): Turn<Subject>[] {
  const later = Math.max(0, ...plans.map(({ rounds, leading = 1 }) => rounds - leading));
  // A scenario with fewer rounds than there are slots has them in evenly spaced ones.
  const slotOf = ({ rounds, leading = 1 }: ScenarioPlan, round: number) =>
    round < leading ? 0 : 1 + Math.floor(((round - leading) * later) / (rounds - leading));
  // The first slot keeps the order of the plans, so that a launch that is short of time has the first of them.
  const slots = [plans, ...Array.from({ length: later }, () => shuffled(plans, random))];
  const turns: Turn<Subject>[] = [];
  for (const [slot, inOrder] of slots.entries()) {
    for (const plan of inOrder) {
      for (let round = 0; round < plan.rounds; round++) {
        if (slotOf(plan, round) !== slot) continue;
        const order = shuffled(plan.arms, random);
        for (const arm of order) turns.push({ scenario: plan.scenario, arm, round, pass: 0, slot });
        if (plan.mirrored === false) continue;
        for (const arm of order.toReversed()) turns.push({ scenario: plan.scenario, arm, round, pass: 1, slot });
      }
    }
  }
  return turns;
}
