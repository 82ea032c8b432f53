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
export interface Origin {
  readonly receiver: object;
  readonly method: string;
  readonly args: unknown[];
}

/** Notes how the values that a connection returns can be derived from its target. */
export class Recipes {
  // Of one connection: another one may derive the same value from its own target.
  readonly #origins = new WeakMap<object, Origin>();
  /** The target, and earlier ones: calls that began before a renewal still run on these. */
  readonly #targets = new WeakSet<object>();

  addTarget(target: unknown): void {
    this.#targets.add(target as object);
  }

  /** Notes how a method marked `restorable` was called. Its result can be derived again by the same call. */
  note(result: unknown, origin: Origin): void {
    if (result instanceof Promise)
      return void result.then(
        (value) => this.note(value, origin),
        () => {},
      );
    const isObject = (typeof result === 'object' && result !== null) || typeof result === 'function';
    if (isObject && !this.#origins.has(result)) this.#origins.set(result, origin);
  }

  /**
   * Returns the recipe that derives a value, as text. Returns undefined if a method on the way is not restorable, or if
   * its arguments cannot be kept.
   */
  of(value: object): string | undefined {
    const steps: [string, unknown[]][] = [];
    let at = value;
    while (!this.#targets.has(at)) {
      const origin = this.#origins.get(at);
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
}

export function readRecipe(text: string): Recipe {
  return parse(text) as Recipe;
}
