import { stringify } from '@lumenize/structured-clone';
import { isPromise } from '../brand.ts';

/**
 * A way to derive a target again: methods to call, each on the result of the one before, beginning with the
 * connection's target. Each call is the text of its method and its arguments.
 */
export type Recipe = readonly string[];

/**
 * The most calls in a recipe. Each result of a frame has a recipe of its own, so without a bound, a frame of many calls
 * that are made on each other would fill the memory.
 */
const MAX_STEPS = 100;

/** Takes the place of a call that is as long. A connection has no room for either. */
const TOO_LONG = 'x'.repeat(16_384);

/** Notes how the values that a connection returns can be derived from its target. */
export class Recipes {
  // Of one connection: another one may derive the same value from its own target.
  readonly #recipes = new WeakMap<object, Recipe>();

  /** Notes the target. Earlier ones stay noted: calls that began before a renewal still run on these. */
  addTarget(target: unknown): void {
    this.#recipes.set(target as object, []);
  }

  /**
   * Returns the recipe of what a method marked `restorable` will return: if its receiver can be derived, its result can
   * be derived again by the same call. The arguments are those that arrived, because they are checked again. The method
   * and its checks may change them.
   */
  extended(receiver: object, method: string, args: unknown[]): Recipe | undefined {
    const from = this.#recipes.get(receiver);
    if (from === undefined || from.length === MAX_STEPS) return undefined;
    try {
      const text = stringify([method, args]);
      return [...from, text.length < TOO_LONG.length ? text : TOO_LONG];
    } catch {
      return undefined; // an argument travels by reference: it will be gone itself
    }
  }

  /** Notes the recipe of what a method has returned. */
  note(result: unknown, recipe: Recipe): void {
    if (isPromise(result))
      return void result.then(
        (value) => this.note(value, recipe),
        () => {},
      );
    if (Object(result) !== result) return;
    const known = this.#recipes.get(result as object);
    // A method may return its receiver, whose recipe must not become longer with every call.
    if (known === undefined || known.length >= recipe.length) this.#recipes.set(result as object, recipe);
  }

  /**
   * Returns the recipe that derives a value. Returns undefined if a method on the way is not restorable, if its
   * arguments cannot be kept, or if the way is too long.
   */
  of(value: object): Recipe | undefined {
    return this.#recipes.get(value);
  }
}
