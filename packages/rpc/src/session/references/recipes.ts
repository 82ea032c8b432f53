import { parse, stringify } from '@lumenize/structured-clone';

/**
 * Way to derive a target again: methods to call, one on the result of the other, beginning with the connection's
 * target.
 */
export type Recipe = readonly (readonly [method: string, args: unknown[]])[];

/**
 * Receiver and arguments of the call of a restorable method: with the arguments as they came, which are checked again.
 */
interface Origin {
  readonly receiver: object;
  readonly method: string;
  readonly args: unknown[];
}

const ORIGINS = new WeakMap<object, Origin>();

/** Notes how a method that is marked `restorable` was called: what it returns can be derived again by calling it in the same way. */
export function noteOrigin(result: unknown, origin: Origin): unknown {
  if (result instanceof Promise) return result.then((value) => noteOrigin(value, origin));
  const isObject = (typeof result === 'object' && result !== null) || typeof result === 'function';
  if (isObject && !ORIGINS.has(result)) ORIGINS.set(result, origin);
  return result;
}

/** Returns how to derive a value from a target, in text; undefined where not all methods on the way are restorable, or arguments cannot be kept. */
export function recipeOf(value: object, target: unknown): string | undefined {
  const steps: [string, unknown[]][] = [];
  let at = value;
  while (at !== target) {
    const origin = ORIGINS.get(at);
    if (origin === undefined) return undefined;
    steps.unshift([origin.method, origin.args]);
    at = origin.receiver;
  }
  try {
    return steps.length === 0 ? undefined : stringify(steps);
  } catch {
    return undefined; // an argument travels by reference: it will be gone itself
  }
}

export function readRecipe(text: string): Recipe {
  return parse(text) as Recipe;
}
