import { CloneError, malformed, notAccepted } from './clone-error.ts';
import { checkCounts, checkLimit, type Limits } from './limits.ts';
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
  let depth = 0;
  let weight = 0;
  /** The objects of the value by number. A hole stands for an object that cannot be made yet. */
  const objects: unknown[] = [];

  const count = (by: number): void => {
    weight += by;
    checkCounts(depth, weight, limits);
  };

  /** Returns the value of a tree. With `isPart`, it may be bytes. */
  const of = (tree: object, isPart: boolean): unknown => {
    // Marks without a number, such as that of undefined, are not counted and are no level.
    depth++;
    let value: unknown;
    if (Array.isArray(tree)) {
      count(1);
      objects.push(tree);
      value = list(tree, false);
    } else {
      const keys = Object.keys(tree);
      value =
        keys.length === 1 && keys[0][0] === '$' ? mark(keys[0], tree as Tree, isPart) : fields(tree as Tree, keys);
    }
    depth--;
    return value;
  };

  /** Replaces the items of a list by their values. With `areParts`, they may be bytes. */
  const list = (tree: unknown[], areParts: boolean): unknown[] => {
    for (let at = 0; at < tree.length; at++) {
      const item = tree[at] as Tree;
      if (typeof item !== 'object' || !item) continue;
      tree[at] = of(item, areParts);
      // A Uint8Array that is an object of the value would be taken for bytes, once for each reference to it.
      if (areParts && tree[at] instanceof Uint8Array && item.$bytes === undefined) throw malformed('bytes');
    }
    return tree;
  };

  const fields = (tree: Tree, keys = Object.keys(tree)): Tree => {
    count(1);
    objects.push(tree);
    for (let at = 0; at < keys.length; at++) {
      const item = tree[keys[at]];
      // `JSON.parse` makes `__proto__` an own property, so assigning runs no setter.
      if (typeof item === 'object' && item) tree[keys[at]] = of(item, false);
    }
    return tree;
  };

  const mark = (mark: string, tree: Tree, isPart: boolean): unknown => {
    const content = tree[mark];
    switch (mark) {
      case '$undefined':
        return undefined;
      case '$number':
        if (['NaN', 'Infinity', '-Infinity', '-0'].includes(content as string)) return Number(content);
        break;
      case '$bigint':
        if (typeof content !== 'string') break;
        // Counting digits takes less long than converting them.
        checkLimit('maxBigIntDigits', content.replace('-', '').length, limits);
        if (/^-?\d+$/.test(content)) return BigInt(content);
        break;
      case '$reference':
        if (typeof content === 'number' && Object.hasOwn(objects, content)) return objects[content];
        break;
      case '$bytes':
        if (isPart) return bytes(content);
        break;
      case '$':
      case '$null':
        if (typeof content !== 'object' || !content || Array.isArray(content)) break;
        return fields(mark === '$' ? (content as Tree) : Object.setPrototypeOf(content, null));
      default:
        return instance(mark, content);
    }
    throw malformed(mark);
  };

  /** Makes an instance of a type, or revives what was passed by reference. */
  const instance = (mark: string, parts: unknown): unknown => {
    if (!Array.isArray(parts)) throw malformed(mark);
    const name = mark.slice(1);
    if (refuse?.includes(name)) throw notAccepted(name);
    const isClass = mark === '$class' && types.decode;
    // Names of types begin with capital letters.
    const isOpen = isClass || (mark >= '$a' && reading.revive);
    const row = isOpen ? undefined : rowOf(mark, types);
    if (!isOpen && !row) throw malformed(`type ${mark} is unknown`);
    count(1);
    const empty = row?.empty?.();
    const number = objects.length++;
    if (empty) objects[number] = empty;
    list(parts, !isOpen && !empty);
    let made: unknown;
    if (isClass) made = isClass(parts, refuse);
    else if (isOpen) made = reading.revive!(name, parts);
    else {
      try {
        if (row!.weigh) count(row!.weigh(parts) - 1);
        made = row!.make(parts, empty);
      } catch (error) {
        throw error instanceof CloneError ? error : malformed(mark);
      }
    }
    objects[number] = made;
    return made;
  };

  /** Returns bytes in memory of their own. */
  const bytes = (content: unknown): Uint8Array => {
    if (base64 && typeof content === 'string') return base64(content);
    const { at } = reading;
    const end = at + (content as number);
    if (!tail || !Number.isInteger(content) || !(end >= at && end <= tail.length)) throw malformed('bytes');
    reading.at = end;
    return new Uint8Array(tail.subarray(at, end));
  };

  return typeof tree === 'object' && tree ? of(tree, false) : tree;
}
