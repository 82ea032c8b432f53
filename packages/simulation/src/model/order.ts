import type { CallRecord } from '../driver/history.ts';
import { type Facts, nameOf } from './facts.ts';

/**
 * Checks that calls of a client begin in the order in which they were made, unless something asynchronous precedes
 * their methods.
 */
export function checkOrder(facts: Facts): string[] {
  // A call suspected of ending its object is sent again alone, so that others get through. A refusal may be lost: then
  // a call begins that was refused before another one.
  if (facts.endsItself || facts.hasLimits) return [];
  const wrong: string[] = [];
  const last = new Map<CallRecord['life'], { call: CallRecord; id: number }>();
  for (const call of facts.history.calls) {
    const { spec, uses, life } = call;
    const checks = facts
      .variants(call)
      .flatMap(({ method }) => [method.guard, method.schema, method.baseGuard ?? 'none']);
    if (spec.ways.length > 0 || uses !== undefined || checks.some(isLate)) continue;
    const first = facts.rows(call.key, 'begin')[0];
    if (first === undefined) continue;
    const before = last.get(life);
    if (before !== undefined && before.id > first.id) wrong.push(`${nameOf(call)} began before ${nameOf(before.call)}`);
    else last.set(life, { call, id: first.id });
  }
  return wrong;
}

function isLate(check: string): boolean {
  return check !== 'none' && check !== 'sync';
}
