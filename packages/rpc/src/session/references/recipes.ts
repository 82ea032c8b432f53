import { parse, stringify } from '@lumenize/structured-clone';

/**
 * A way to derive a target again: methods to call, each on the result of the one before, beginning with the
 * connection's target.
 */
export type Recipe = readonly (readonly [method: string, args: unknown[]])[];

/**
 * The receiver and the arguments of a call of a restorable method. The arguments are kept as they arrived, because they
 * are checked again.
 */
interface Origin {
  readonly receiver: object;
  readonly method: string;
  readonly args: unknown[];
}

const ORIGINS = new WeakMap<object, Origin>();

/**
 * Notes how a method marked `restorable` was called, and returns its result. The result can be derived again by the
 * same call.
 */
export function noteOrigin(result: unknown, origin: Origin): unknown {
  if (result instanceof Promise) return result.then((value) => noteOrigin(value, origin));
  const isObject = (typeof result === 'object' && result !== null) || typeof result === 'function';
  if (isObject && !ORIGINS.has(result)) ORIGINS.set(result, origin);
  return result;
}

/**
 * Returns the recipe that derives a value from a target, as text. Returns undefined if a method on the way is not
 * restorable, or if its arguments cannot be kept.
 */
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
