import { describe, notCloneable } from '../clone-error.ts';
import type { Reader } from '../read.ts';
import type { ClassCodec } from '../registered.ts';
import type { Writer } from '../write.ts';

/** The types that a codec supports besides plain data. What is not in a bundle's types is not in the bundle. */
export interface Types {
  /**
   * Takes an instance of the class with this name apart into values. Except in a Map, a Set or an error, a Uint8Array
   * stands for bytes. Returns undefined if the class is not supported.
   */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the name says, or an impostor, which methods refuse
  take(name: string, value: any, to: Writer): unknown[] | undefined;
  /**
   * Makes an instance of the class with this name from the list of its parts. Returns undefined if the class is not
   * supported. The parts may be anything: an error means that the input is malformed.
   */
  make(name: string, parts: unknown[], from: Reader): object | undefined;
  /** Returns the codec of a registered class, given its prototype or its name. */
  codecOf?(prototypeOrName: unknown): ClassCodec<unknown> | undefined;
}

/**
 * Returns a built-in class, or undefined if the runtime lacks it. It is looked up on each use, because some classes
 * load a lot of code on first access.
 */
// biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
export function builtIn(name: string): any {
  return (globalThis as Record<string, unknown>)[name];
}

/** Throws if the condition does not hold, because the parts are not what `take` writes. */
export function requirePart(hold: unknown): asserts hold {
  if (!hold) throw new TypeError();
}

export function integer(value: unknown): number {
  requirePart(typeof value === 'number' && value === value >>> 0);
  return value;
}

export function text(value: unknown): string {
  requirePart(typeof value === 'string');
  return value;
}

/** Calls `add` for each pair of parts, starting at index `first`. Throws if the parts are not pairs. */
export function eachPair(
  parts: readonly unknown[],
  first: 0 | 1,
  add: (key: unknown, value: unknown, at: number) => void,
): void {
  requirePart(parts.length % 2 === first);
  for (let at = first; at < parts.length; at += 2) add(parts[at], parts[at + 1], at);
}

/**
 * Refuses an instance with properties of its own besides the first `own`, because they would be lost. Node defines
 * `constructor` on parts of Blobs.
 */
export function refuseNamed(value: object, own = 0): void {
  if (Object.keys(value).some((key, at) => at >= own && key !== 'constructor')) {
    throw notCloneable(value, `named properties of ${describe(value)}`);
  }
}

/** Lists the keys and values of a collection, of a Set only the values, whatever subclasses make of iterating. */
export function itemsOf(name: string, collection: object): unknown[] {
  const items: unknown[] = [];
  builtIn(name).prototype.forEach.call(collection, (value: unknown, key: unknown) => {
    if (name !== 'Set') items.push(key);
    items.push(value);
  });
  return items;
}
