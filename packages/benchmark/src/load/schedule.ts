import { type Random, shuffled } from '@lumenize/hosts/random';
import type { SubjectName } from '../subjects/subject.ts';
import type { Arm, ScenarioPlan } from './plan.ts';

/** One block to run: the next arm's turn. */
export interface Turn<Subject extends string = SubjectName> {
  readonly scenario: string;
  readonly arm: Arm<Subject>;
  readonly round: number;
  readonly pass: 0 | 1;
  /** Every scenario that is measured at all has a round in slot 0; later slots may be left out for want of time. */
  readonly slot: number;
}

/**
 * Lays out the blocks of a launch. The rounds of all scenarios are spread over its whole length; within a round the
 * arms have their turns in a random order and, where the plan says so, once more in the reverse of it (ABBA for two).
 */
export function schedule<Subject extends string>(
  plans: readonly ScenarioPlan<Subject>[],
  random: Random,
): Turn<Subject>[] {
  const turns: Turn<Subject>[] = [];
  // The first slot keeps the order of the plans, so that a launch that is short of time has the first of them.
  const slots = [plans.map((plan) => ({ plan, rounds: range(0, leadingOf(plan)) }))];
  const later = Math.max(0, ...plans.map((plan) => plan.rounds - leadingOf(plan)));
  for (let slot = 0; slot < later; slot++) {
    slots.push(shuffled(plans, random).map((plan) => ({ plan, rounds: laterRounds(plan, slot, later) })));
  }
  for (const [slot, entries] of slots.entries()) {
    for (const { plan, rounds } of entries) {
      for (const round of rounds) {
        const order = shuffled(plan.arms, random);
        for (const arm of order) turns.push({ scenario: plan.scenario, arm, round, pass: 0, slot });
        if (!plan.mirrored) continue;
        for (const arm of order.toReversed()) turns.push({ scenario: plan.scenario, arm, round, pass: 1, slot });
      }
    }
  }
  return turns;
}

function leadingOf({ rounds, leading = 1 }: ScenarioPlan<string>): number {
  return Math.min(rounds, leading);
}

/** A scenario with fewer rounds than there are slots has them in evenly spaced ones. */
function laterRounds(plan: ScenarioPlan<string>, slot: number, slots: number): number[] {
  const leading = leadingOf(plan);
  const share = (plan.rounds - leading) / slots;
  return range(leading + Math.ceil(slot * share), leading + Math.ceil((slot + 1) * share));
}

function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, i) => first + i);
}
