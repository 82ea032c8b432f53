import type { Extension, Taking, Writing } from '../write.ts';

/**
 * The types that a codec supports besides plain data, by their marks: those of the platform are a dollar sign and the name
 * of the class. What is not in a bundle's types is not in the bundle.
 */
export interface Types {
  /** Returns the number of objects that an instance with these parts counts as, by its memory. */
  weigh(mark: string, parts: readonly unknown[]): number;
  /**
   * Takes an instance of a class apart into values. Except in a Map, a Set or an error, a Uint8Array
   * stands for bytes. Returns undefined if the class is not supported.
   */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the mark says, or an impostor, which methods refuse
  take(mark: string, value: any, state: Taking): unknown[] | undefined;
  /** Returns an empty instance if the parts of the class are values that may refer back to it. */
  empty(mark: string): object | undefined;
  /**
   * Makes an instance of a class from its parts, or fills the empty one. Returns undefined if the class
   * is not supported. The parts may be anything: an error means that the input is malformed.
   */
  // biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
  make(mark: string, parts: any[], empty: any): object | undefined;
  /** Returns what to write for an instance of a registered class; undefined for all others. */
  encode?(value: object): Extension | undefined;
  /** Returns the instance of a registered class. Errors that the class throws pass through. */
  decode?(parts: unknown[], refuse: readonly string[] | undefined): unknown;
  /** Adds the path in the value, and advice, to an error. Returns any other error unchanged. */
  explain?(error: unknown, value: unknown, writing: Writing): unknown;
}

/**
 * Returns the built-in class of a mark, or undefined if the runtime lacks it. It is looked up on each use, because some classes
 * load a lot of code on first access.
 */
// biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
export function builtIn(mark: string): any {
  return (globalThis as Record<string, unknown>)[mark.slice(1)];
}

/** Returns true for the marks of errors, and of what may be one. */
export function isError(mark: string): boolean {
  return mark.endsWith('Error') || mark === '$DOMException';
}

/** Records one more use of a buffer. Returns true if the whole buffer must be written. */
export function isShared(buffer: object, state: Taking): boolean {
  state.used ??= new Set();
  if (state.used.has(buffer)) state.shared = (state.shared ?? new Set()).add(buffer);
  state.used.add(buffer);
  return state.shared?.has(buffer) ?? false;
}

/** Throws if the condition does not hold, because the parts are not what `take` returns. */
export function requirePart(hold: unknown): asserts hold {
  if (!hold) throw new TypeError();
}

export function integer(value: unknown): number {
  requirePart(typeof value === 'number' && value === value >>> 0);
  return value;
}

/** Calls `add` for each pair of parts, starting at index `first`. Throws if the parts are not pairs. */
export function eachPair(parts: readonly unknown[], first: 0 | 1, add: (key: string, value: unknown) => void): void {
  requirePart(parts.length % 2 === first);
  for (let at = first; at < parts.length; at += 2) add(parts[at] as string, parts[at + 1]);
}

/** Defines an own property of an object. Assigning would run a setter for a key such as `__proto__`. */
export function ownProperty(object: object, key: string, value: unknown, enumerable = true): void {
  requirePart(typeof key === 'string');
  // If the key is an index, V8 makes room for all smaller ones, hundreds of times the size of the input, unless the
  // property is read-only at first. Arrays are the exception: their lengths are checked and they are to stay fast.
  if (/^\d/.test(key) && !Array.isArray(object)) Reflect.defineProperty(object, key, { configurable: true });
  requirePart(Reflect.defineProperty(object, key, { value, enumerable, writable: true, configurable: true }));
}

/** Lists the keys and values of a collection, of a Set only the values, whatever subclasses make of iterating. */
export function itemsOf(mark: string, collection: object): unknown[] {
  const items: unknown[] = [];
  builtIn(mark).prototype.forEach.call(collection, (value: unknown, key: unknown) => {
    if (mark !== '$Set') items.push(key);
    items.push(value);
  });
  return items;
}

/** Throws unless parts are what was taken from the instance made of them. Objects among them were checked before. */
export function requireSame(parts: readonly unknown[], taken: readonly unknown[]): void {
  requirePart(
    parts.length === taken.length && parts.every((part, at) => Object(part) === part || Object.is(part, taken[at])),
  );
}
