import { type Random, shuffled } from '@lumenize/hosts/random';
import type { Arm, ScenarioPlan } from './plan.ts';

/**
 * Lays out the blocks of a launch. The rounds of all scenarios are spread over its whole length; within a round the
 * arms have their turns in a random order and, where the plan says so, once more in the reverse of it (ABBA for two).
 * Every scenario that is measured at all has a round in slot 0; later slots may be left out for want of time.
 */
export function schedule<Subject extends string>(plans: readonly ScenarioPlan<Subject>[], random: Random) {
  const later = Math.max(0, ...plans.map(({ rounds, leading = 1 }) => rounds - leading));
  // A scenario with fewer rounds than there are slots has them in evenly spaced ones.
  const slotOf = ({ rounds, leading = 1 }: ScenarioPlan, round: number) =>
    round < leading ? 0 : 1 + Math.floor(((round - leading) * later) / (rounds - leading));
  // The first slot keeps the order of the plans, so that a launch that is short of time has the first of them.
  const slots = [plans, ...Array.from({ length: later }, () => shuffled(plans, random))];
  const roundOf = ({ scenario, arms, mirrored }: ScenarioPlan<Subject>, round: number, slot: number) => {
    const order = shuffled(arms, random);
    const turn = (pass: 0 | 1) => (arm: Arm<Subject>) => ({ scenario, arm, round, pass, slot });
    return [...order.map(turn(0)), ...(mirrored === false ? [] : order.toReversed().map(turn(1)))];
  };
  return slots.flatMap((inOrder, slot) =>
    inOrder.flatMap((plan) => {
      const rounds = Array.from({ length: plan.rounds }, (_, round) => round);
      return rounds.flatMap((round) => (slotOf(plan, round) === slot ? roundOf(plan, round, slot) : []));
    }),
  );
}
