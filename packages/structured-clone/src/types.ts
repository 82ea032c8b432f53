import type { Extension, Writing } from './write.ts';

/** The types that a codec supports besides plain data. What is not in a bundle's types is not in the bundle. */
export interface Types {
  /** Returns the row of a mark; undefined if the type is not supported. It makes the row anew, so use `rowOf`. */
  find(mark: string): Row | undefined;
  /** The rows found so far. No table of them is made beforehand: most values need none. */
  known?: Map<string, Row>;
  /** Rows by the prototypes of their instances. Finding them out takes longer than all else. */
  met?: WeakMap<object, Row>;
  /** Returns what to write for an instance of a registered class; undefined for all others. */
  encode?(value: object): Extension | undefined;
  /** Returns the instance of a registered class. Errors that the class throws pass through. */
  decode?(parts: unknown[], refuse: readonly string[] | undefined): unknown;
  /** Returns what a refused value is called, and what to do instead. */
  explain?(subject: unknown, types: Types): [what: string, advice: string];
}

/** What taking an instance apart may depend on. */
export interface Taking {
  readonly writing: Pick<Writing, 'bodies' | 'stacks'>;
  /** What the value that is being written refuses. */
  refused?: string;
  /** The buffers that were met. */
  used?: Set<object>;
  /** The buffers that several objects use, as far as it is known. */
  shared?: Set<object> | undefined;
}

/** The encoding of the instances of one class: `{"$name": parts}`. */
export interface Row {
  /** The mark: a dollar sign and the name of the class. */
  mark: string;
  /** The number of objects that an instance counts as, by its memory. With some parts, it is more. */
  readonly weight: number | ((parts: readonly unknown[]) => number);
  /**
   * Takes an instance apart into values. A Uint8Array among them stands for bytes, unless there is `empty`. Anything may
   * look like an instance: the methods of the platform throw a TypeError for what is none.
   */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the mark says
  readonly take: (value: any, state: Taking) => unknown[];
  /**
   * Makes an instance from its parts, or fills the empty one. The parts may be anything: an error means that the input
   * is malformed.
   */
  // biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
  readonly make: (parts: any[], empty?: any) => object;
  /** Returns an empty instance, if the parts are values that may refer back to the instance. */
  readonly empty: (() => object) | undefined;
  /** Returns the step from an instance to one of its parts, for the paths of errors. */
  readonly stepTo: ((parts: readonly unknown[], at: number) => string) | undefined;
  /**
   * True if instances may have properties of their own, or a function that returns true if one may have those that it
   * has. Those of others are refused, because they would be lost.
   */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the mark says
  readonly mayOwn: true | ((value: any) => boolean) | undefined;
}

/** Creates a row. All of its members are its own, whatever all objects inherit. */
export function row(
  weight: Row['weight'],
  take: Row['take'],
  make: Row['make'],
  empty?: Row['empty'],
  stepTo?: Row['stepTo'],
  mayOwn?: Row['mayOwn'],
): Row {
  return { mark: '', weight, take, make, empty, stepTo, mayOwn };
}

/** Returns the row of a mark; undefined if the type is not supported. */
export function rowOf(mark: string, types: Types): Row | undefined {
  types.known ??= new Map();
  let found = types.known.get(mark);
  if (!found) {
    found = types.find(mark);
    if (found) {
      found.mark = mark;
      types.known.set(mark, found);
    }
  }
  return found;
}

/**
 * Returns the built-in class of a mark, or undefined if the runtime lacks it. It is looked up on each use, because some
 * classes load a lot of code on first access.
 */
// biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
export function builtIn(mark: string): any {
  return (globalThis as Record<string, unknown>)[mark.slice(1)];
}

/** Refuses to write something. `write` makes an error of it, with the path to what is refused. */
export function refuse(state: Taking, what: string, advice = ''): never {
  state.refused = `${what} cannot be cloned${advice && `: ${advice}`}`;
  throw state;
}

/** Names the kind of a value that cannot be cloned, for an error message. */
export function describe(value: object): string {
  if (typeof value === 'function') return 'functions';
  return `instances of ${Object.getPrototypeOf(value)?.constructor?.name || 'unnamed classes'}`;
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
  if (+key >= 0 && !Array.isArray(object)) Reflect.defineProperty(object, key, { configurable: true });
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

/** Returns the step to an item of a collection of keys and values. */
export function stepToItem(_parts: readonly unknown[], at: number): string {
  return `.${at % 2 ? 'values' : 'keys'}()[${at >> 1}]`;
}

/** Returns the step from an object or an array to its property, for the paths of errors. */
export function stepTo(key: unknown): string {
  return /^[a-z_$][\w$]*$/i.test(key as string)
    ? `.${key}`
    : `[${/^\d+$/.test(key as string) ? key : JSON.stringify(key)}]`;
}
