import type { Taking } from './form.ts';
import type { Extension } from './write.ts';

/** The types that a codec supports besides plain data. What is not in a bundle's types is not in the bundle. */
export interface Types {
  /** Returns the row of a mark; undefined if the type is not supported. It makes the row anew, so use `rowOf`. */
  find(mark: string): Row | undefined;
  /** The rows found so far. No table of them is made beforehand: most values need none. */
  readonly known: Map<string, Row>;
  /** Returns what to write for an instance of a registered class; undefined for all others. */
  encode?(value: object): Extension | undefined;
  /** Returns the instance of a registered class. Errors that the class throws pass through. */
  decode?(parts: unknown[], refuse: readonly string[] | undefined): unknown;
  /** Returns what a refused value is called, and what to do instead. */
  explain?(subject: unknown, types: Types): [what: string, advice: string];
}

/** The encoding of the instances of one class: `{"$name": parts}`. */
export interface Row {
  /** The number of objects that an instance with these parts counts as, by its memory. @default 1 */
  weigh?(parts: readonly unknown[]): number;
  /**
   * Takes an instance apart into values. A Uint8Array among them stands for bytes, unless there is `empty`. Anything may
   * look like an instance: the methods of the platform throw a TypeError for what is none.
   */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the mark says
  take(value: any, state?: Taking): unknown[];
  /** Returns an empty instance, if the parts are values that may refer back to the instance. */
  empty?(): object;
  /**
   * Makes an instance from its parts, or fills the empty one. The parts may be anything: an error means that the input
   * is malformed.
   */
  // biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
  make(parts: any[], empty?: any): object;
  /** Returns the step from an instance to one of its parts, for the paths of errors. */
  stepTo?(parts: readonly unknown[], at: number): string;
  /** True if instances may have properties of their own. Those of others are refused, because they would be lost. */
  readonly hasOwn?: boolean;
}

/** Returns the row of a mark; undefined if the type is not supported. */
export function rowOf(mark: string, { known, find }: Types): Row | undefined {
  let row = known.get(mark);
  if (!row) {
    row = find(mark);
    // Without what all objects inherit.
    if (row) known.set(mark, Object.setPrototypeOf(row, null));
  }
  return row;
}

/**
 * Returns the built-in class of a mark, or undefined if the runtime lacks it. It is looked up on each use, because some
 * classes load a lot of code on first access.
 */
// biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
export function builtIn(mark: string): any {
  return (globalThis as Record<string, unknown>)[mark.slice(1)];
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

/** Returns the steps to the items of a collection that has this many parts for each. */
export function stepToItem(step: number): Row['stepTo'] {
  return (_parts, at) => `.${at % step === step - 1 ? 'values' : 'keys'}()[${Math.floor(at / step)}]`;
}

/** Returns the step from an object or an array to its property, for the paths of errors. */
export function stepTo(key: string, isList = false): string {
  if (/^[a-z_$][\w$]*$/i.test(key)) return `.${key}`;
  return `[${isList && /^\d+$/.test(key) ? key : JSON.stringify(key)}]`;
}
