import type { CallRecord } from '../driver/history.ts';
import { type Facts, nameOf } from './facts.ts';

/**
 * Checks that calls of a client begin in the order in which they were made, unless something asynchronous precedes
 * their methods.
 */
export function checkOrder(facts: Facts): string[] {
  // A call suspected of ending its object is sent again alone, so that others get through. A refusal may be lost: then
  // a call begins that was refused before another one.
  if (facts.endsItself || Object.keys(facts.program.target.options).length > 0) return [];
  const wrong: string[] = [];
  const last = new Map<CallRecord['life'], { call: CallRecord; id: number }>();
  for (const call of facts.history.calls) {
    const { method, spec, uses, life } = call;
    if (spec.ways.length > 0 || uses !== undefined || isLate(method.guard) || isLate(method.schema)) continue;
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
