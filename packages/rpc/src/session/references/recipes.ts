import { parse, stringify } from '@lumenize/structured-clone';

/** How to come by a target again: methods to call, one on the result of the other, beginning with the connection's target. */
export type Recipe = readonly (readonly [method: string, args: unknown[]])[];

/** What a restorable method returned, and how it was called. */
interface Origin {
  receiver: object;
  method: string;
  args: unknown[];
}

const ORIGINS = new WeakMap<object, Origin>();

/** Wraps a method that is marked `restorable`: what it returns can be derived again by calling it in the same way. */
export function restorable(
  method: string,
  implementation: (...args: unknown[]) => unknown,
): (...args: unknown[]) => unknown {
  return function (this: object, ...args) {
    const note = <T>(value: T): T => {
      const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
      if (isObject && !ORIGINS.has(value)) ORIGINS.set(value, { receiver: this, method, args });
      return value;
    };
    const result = Reflect.apply(implementation, this, args);
    return result instanceof Promise ? result.then(note) : note(result);
  };
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
