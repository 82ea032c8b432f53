import type { Limits } from './limits.ts';
import { isMark } from './marks.ts';

/** Units that strings may still have: one that is held many times is written each time. */
let room = 0;

/**
 * True if JSON says a value as it is: nothing in it is of a type that JSON does not have, is met twice, or looks like a
 * mark. It is the only code of ours that most values run, and so is kept small: engines have to compile it first.
 */
export function isJson(value: unknown, { maxBytes, maxDepth, maxObjects }: Readonly<Limits>): boolean {
  const seen = new Set<object>();
  room = maxBytes;
  return look(value, seen, maxDepth) && seen.size <= maxObjects && room >= 0;
}

function look(value: unknown, seen: Set<object>, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      room -= value.length;
      return true;
    case 'boolean':
      return true;
    case 'number':
      // Not those that are no finite number, nor -0.
      return value - value === 0 && (value !== 0 || 1 / value > 0);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  const { size } = seen;
  if (seen.add(value).size === size || depth === 0) return false;
  if (Array.isArray(value)) {
    const { length } = value;
    // Holes are left out here, and named properties are not: where there are as many of both, a hole is undefined.
    if (Object.getPrototypeOf(value) !== Array.prototype || Object.values(value).length !== length) return false;
    for (let at = 0; at < length; at++) {
      const item = value[at];
      if (typeof item === 'string') room -= item.length;
      else if (!look(item, seen, depth - 1)) return false;
    }
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  let keys = 0;
  let last = '';
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    keys++;
    last = key;
    if (typeof item === 'string') room -= item.length;
    else if (!look(item, seen, depth - 1)) return false;
  }
  return keys !== 1 || !isMark(last);
}
