import { CloneError, malformed, notAccepted } from './clone-error.ts';
import { checkLimit, count, type Limits } from './limits.ts';
import { rowOf, type Types } from './types.ts';

/** How to read one value. */
export interface Reading {
  /** The types supported besides plain data. */
  readonly types: Types;
  /** The limits of the value. */
  readonly limits: Readonly<Limits>;
  /** The bytes behind the text. */
  readonly tail?: Uint8Array | undefined;
  /** The index in `tail` of the bytes of the value. Reading moves it behind them. */
  at: number;
  /** Decodes bytes that are in the text. Used if there is no tail. */
  readonly base64?: ((text: string) => Uint8Array) | undefined;
  /** Names of types and registered classes to refuse. */
  readonly refuse?: readonly string[] | undefined;
  /**
   * Makes the value of a mark whose name is none of a type. The parts are values already. Errors that it throws pass
   * through.
   */
  revive?(name: string, parts: unknown[]): unknown;
}

type Tree = Record<string, unknown>;

/**
 * Returns the value of a tree of parsed JSON that may hold marks. It is made of the tree itself where possible.
 * @throws {CloneError} if marks are misused or a limit is exceeded
 */
export function read(tree: unknown, reading: Reading): unknown {
  const { types, limits, tail, base64, refuse } = reading;
  const counts = { limits, depth: 0, weight: 0 };
  /** The objects of the value by number. A hole stands for an object that cannot be made yet. */
  const objects: unknown[] = [];

  /** Counts and numbers a plain object, and replaces its items by their values. */
  const items = (tree: Tree, keys?: string[]): Tree => {
    count(counts, 1);
    objects.push(tree);
    if (keys) {
      // `JSON.parse` makes `__proto__` an own property, so assigning runs no setter.
      for (let at = 0; at < keys.length; at++) {
        const item = tree[keys[at]];
        if (typeof item === 'object' && item) tree[keys[at]] = of(item);
      }
    } else list(tree as unknown as unknown[]);
    return tree;
  };

  /** Replaces the items of a list by their values. With `withBytes`, they may be bytes, in memory of their own. */
  const list = (tree: unknown[], withBytes?: boolean): void => {
    for (let at = 0; at < tree.length; at++) {
      const item = tree[at] as Tree;
      if (typeof item !== 'object' || !item) continue;
      if (withBytes && Object.hasOwn(item, '$bytes')) {
        const { $bytes } = item;
        const end = reading.at + ($bytes as number);
        if (base64 && typeof $bytes === 'string') tree[at] = base64($bytes);
        else if (tail && Number.isInteger($bytes) && end >= reading.at && end <= tail.length) {
          tree[at] = new Uint8Array(tail.subarray(reading.at, end));
          reading.at = end;
        } else malformed('bytes');
      } else {
        tree[at] = of(item);
        // A Uint8Array that is an object of the value would be taken for bytes, once for each reference to it.
        if (withBytes && tree[at] instanceof Uint8Array) malformed('bytes');
      }
    }
  };

  /** Returns the value of an object of the tree. */
  const of = (tree: object): unknown => {
    // Marks without a number, such as that of undefined, are not counted and are no level.
    counts.depth++;
    const keys = Array.isArray(tree) ? undefined : Object.keys(tree);
    const made =
      keys?.length === 1 && keys[0][0] === '$' ? mark(keys[0], (tree as Tree)[keys[0]]) : items(tree as Tree, keys);
    counts.depth--;
    return made;
  };

  /** Returns what a mark stands for. */
  const mark = (mark: string, content: unknown): unknown => {
    switch (mark) {
      case '$undefined':
        return undefined;
      case '$number':
        if (!['NaN', 'Infinity', '-Infinity', '-0'].includes(content as string)) malformed(mark);
        return Number(content);
      case '$bigint':
        if (typeof content !== 'string') malformed(mark);
        // Counting digits takes less long than converting them.
        checkLimit('maxBigIntDigits', content.replace('-', '').length, limits);
        if (!/^-?\d+$/.test(content)) malformed(mark);
        return BigInt(content);
      case '$reference':
        if (typeof content !== 'number' || !Object.hasOwn(objects, content)) malformed(mark);
        return objects[content];
      case '$bytes':
        malformed(mark);
    }
    const isPlain = mark === '$' || mark === '$null';
    if (typeof content !== 'object' || !content || Array.isArray(content) === isPlain) malformed(mark);
    if (isPlain) {
      if (mark !== '$') Object.setPrototypeOf(content, null);
      return items(content as Tree, Object.keys(content));
    }
    // An instance of a type, or what was passed by reference.
    const parts = content as unknown[];
    const name = mark.slice(1);
    if (refuse?.includes(name)) notAccepted(name);
    const isClass = mark === '$class' && types.decode;
    // Names of types begin with capital letters.
    const isOpen = isClass || (mark >= '$a' && reading.revive);
    const row = isOpen ? undefined : (rowOf(mark, types) ?? malformed(`type ${mark} is unknown`));
    count(counts, 1);
    const empty = row?.empty?.();
    const number = objects.length++;
    if (empty) objects[number] = empty;
    list(parts, row && !empty);
    let made: unknown;
    if (row) {
      try {
        const { weight } = row;
        if (weight !== 1) count(counts, (typeof weight === 'number' ? weight : weight(parts)) - 1);
        made = row.make(parts, empty);
      } catch (error) {
        if (error instanceof CloneError) throw error;
        malformed(mark);
      }
    } else made = isClass ? isClass(parts, refuse) : reading.revive!(name, parts);
    objects[number] = made;
    return made;
  };

  return typeof tree === 'object' && tree ? of(tree) : tree;
}
