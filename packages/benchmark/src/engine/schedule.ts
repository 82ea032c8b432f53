import { type Random, shuffled } from '@lumenize/hosts/random';
import type { Arm, ScenarioPlan } from './plan.ts';

/**
 * Lays out the blocks of a launch. The rounds of all scenarios are spread over the whole launch. In a round, the arms
 * take turns in random order and, if the plan says so, once more in reverse order (ABBA for two arms). Every scenario
 * that is measured at all has a round in slot 0. Later slots may be left out for lack of time.
 */
export function schedule<Subject extends string>(plans: readonly ScenarioPlan<Subject>[], random: Random) {
  const later = Math.max(0, ...plans.map(({ rounds, leading = 1 }) => rounds - leading));
  // A scenario with fewer rounds than there are slots uses evenly spaced slots.
  const slotOf = ({ rounds, leading = 1 }: ScenarioPlan, round: number) =>
    round < leading ? 0 : 1 + Math.floor(((round - leading) * later) / (rounds - leading));
  // The first slot keeps the order of the plans, so that a launch with little time has at least the first of them.
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
