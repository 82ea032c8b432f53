import type { Run } from '../driver/run-program.ts';
import type { Program } from '../programs/program.ts';
import { checkEnds } from './calls.ts';
import { checkEffects } from './effects.ts';
import { checkEvents } from './events.ts';
import { Facts } from './facts.ts';
import { checkIdentities } from './identities.ts';
import { checkLeaks } from './leaks.ts';
import { checkOrder } from './order.ts';
import { checkValues } from './values.ts';

/**
 * Compares what clients observed with what the object did, and adds the findings of the world. Returns everything that
 * is wrong, in sentences.
 */
export function check(program: Program, run: Run, leftInWorld: readonly string[] = []): string[] {
  const facts = new Facts(program, run);
  return [...RULES.flatMap((rule) => rule(facts)), ...leftInWorld];
}

const RULES = [checkEnds, checkEffects, checkIdentities, checkValues, checkEvents, checkOrder, checkLeaks];
