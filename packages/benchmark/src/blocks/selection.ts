import type { Arm, ScenarioPlan } from '../load/plan.ts';
import { CONTROL } from './arms.ts';

/** Returns `name` as one of `names`; throws where it is none of them. */
export function expectOneOf<Name extends string>(what: string, name: string, names: readonly Name[]): Name {
  const found = names.find((each) => each === name);
  if (found === undefined) throw new Error(`no ${what} is called ${name}; there are ${names.join(', ')}`);
  return found;
}

/** Leaves in scenarios the arms of these subjects, or of all, the A/A arm with its subject, and drops what has none left. */
export function narrowed(
  plans: readonly ScenarioPlan[],
  subjects: readonly string[] | undefined,
  again: Arm = CONTROL,
): ScenarioPlan[] {
  return plans.flatMap((plan) => {
    const arms = plan.arms.filter(({ id }) => id !== again.id && (subjects?.includes(id) ?? true));
    if (arms.length === 0) return [];
    const control = plan.arms.filter(({ id }) => id === again.id && arms.some((arm) => arm.id === again.subject));
    return [{ ...plan, arms: [...arms, ...control] }];
  });
}
