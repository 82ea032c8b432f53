import type { Types } from '../types/find.ts';
import type { DecodeContext, Row } from '../types/row.ts';
import { CloneError, malformed, notAccepted } from './clone-error.ts';
import {
  addWeight,
  type Counts,
  checkBytes,
  checkLimit,
  checkOpened,
  countOpened,
  type Limits,
  MAX_UNIT_BYTES,
  resolveLimits,
  withinDigits,
} from './limits.ts';
import { BIGINT, BYTES, isMark, NULL, NUMBER, onlyKey, REFERENCE, UNDEFINED, VALUE } from './marks.ts';
import type { DecodeOptions } from './options.ts';

/** Input of the decoder besides the text, and how to decode it. */
export interface Reading {
  /** The types supported besides plain data. */
  readonly types: Types;
  /** The bytes that followed the text. */
  readonly tail?: Uint8Array | undefined;
  /** Decodes bytes that are in the text. Used if there is no tail. */
  readonly base64?: (text: string) => Uint8Array;
  /** The name of the extension whose first part stays parsed JSON: a form, from which no value is made. */
  readonly verbatim?: string;
  /** The limits of the options, if they are resolved already because many values are decoded. */
  readonly limits?: Readonly<Limits>;
}

const NO_OPTIONS: DecodeOptions = Object.create(null);
/** Numbers that JSON does not have. */
const NUMBERS: readonly unknown[] = ['NaN', 'Infinity', '-Infinity', '-0'];

type Tree = Record<string, unknown>;

/**
 * Turns trees of parsed JSON into values, in place where possible. Several values may share a tail: they take its bytes
 * in order.
 */
export class Reviver implements Counts, DecodeContext {
  /** The options given by the user. */
  readonly options: DecodeOptions;
  /** The user's limits, completed with the defaults. */
  readonly limits: Readonly<Limits>;
  /** The weight of all objects of the value. */
  weight = 0;
  /** The number of objects that are around the current one. */
  depth = 0;
  /** The number of holes in all arrays of the value. */
  holes = 0;
  readonly #reading: Reading;
  /** The bytes that no value has used yet. */
  #tail: Uint8Array | undefined;
  /** The objects of the value by number. A hole stands for an object that cannot be made yet. */
  #objects: unknown[] = [];

  constructor(reading: Reading, options = NO_OPTIONS) {
    this.options = options;
    this.limits = reading.limits ?? resolveLimits(options.limits);
    this.#reading = reading;
    this.#tail = reading.tail;
  }

  /** Adds to the weight of the value. Throws if `maxDepth` or `maxObjects` is exceeded. */
  count(weight: number): void {
    addWeight(this, weight);
  }

  /** The number of bytes of the tail that no value has used yet. */
  get left(): number {
    return this.#tail?.length ?? 0;
  }

  /**
   * Returns the value of a tree: the tree itself if it holds no marks.
   * @throws {CloneError} if marks are misused or a limit is exceeded
   */
  value(tree: unknown): unknown {
    if (!isMarked(tree)) return tree;
    this.#objects = [];
    this.weight = this.holes = this.depth = 0;
    return this.#list([tree[VALUE]])[0];
  }

  #of(tree: object): unknown {
    this.depth++;
    const value = Array.isArray(tree) ? this.#list(this.#identify(tree)) : this.#object(tree as Tree);
    this.depth--;
    return value;
  }

  /**
   * Counts an object and gives it the next number. Marks without a number, such as undefined, do not count as a level.
   */
  #identify<T>(object: T): T {
    this.count(1);
    this.#objects.push(object);
    return object;
  }

  /** Replaces the items of a list by their values. With `isRecord`, the list holds parts of a row that may be bytes. */
  #list(tree: unknown[], from = 0, isRecord = false): unknown[] {
    for (let at = from; at < tree.length; at++) {
      const item = tree[at];
      if (isObject(item)) tree[at] = isRecord ? this.#part(item) : this.#of(item);
    }
    return tree;
  }

  #fields(tree: Tree): Tree {
    this.#identify(tree);
    for (const key in tree) {
      // Keys that all objects inherit come last.
      if (!Object.hasOwn(tree, key)) break;
      const item = tree[key];
      if (!isObject(item)) continue;
      const value = this.#of(item);
      // `JSON.parse` makes `__proto__` an own property, so assigning runs no setter.
      if (value !== item) tree[key] = value;
    }
    return tree;
  }

  #object(tree: Tree): unknown {
    const mark = onlyKey(tree);
    if (!isMark(mark)) return this.#fields(tree);
    const content = tree[mark];
    switch (mark) {
      case UNDEFINED:
        return undefined;
      case NUMBER:
        if (NUMBERS.includes(content)) return Number(content);
        break;
      case BIGINT:
        if (typeof content === 'string' && /^-?\d+$/.test(withinDigits(content, this.limits))) return BigInt(content);
        break;
      case REFERENCE:
        if (typeof content === 'number' && content in this.#objects) return this.#objects[content];
        break;
      case VALUE:
      case NULL:
        if (!isObject(content) || Array.isArray(content)) break;
        return this.#fields(mark === NULL ? Object.setPrototypeOf(content, null) : content);
      default:
        return this.#instance(mark, this.#reading.types.byMark.get(mark), content);
    }
    throw malformed(mark);
  }

  /** Creates an instance with its row, or revives an extension. */
  #instance(mark: string, row: Row | undefined, content: unknown): unknown {
    const name = row?.name ?? mark.slice(1);
    const { refuse, revive } = this.options;
    if (!row && !revive) throw malformed(`type ${name} is unknown`);
    if (!Array.isArray(content)) throw malformed(name);
    if (refuse?.includes(name)) throw notAccepted(name);
    this.count(row?.weight ?? 1);
    const empty = row?.empty?.();
    const number = this.#objects.length++;
    if (empty) this.#objects[number] = empty;
    // These parts may be values of any kind.
    const isOpen = !row || row.is;
    this.#list(content, name === this.#reading.verbatim ? 1 : 0, !isOpen && !empty);
    try {
      const made = row ? row.make(content, this, empty) : revive!(name, content);
      if (empty) return empty;
      this.#objects[number] = made;
      return made;
    } catch (error) {
      throw isOpen || error instanceof CloneError ? error : malformed(name);
    }
  }

  /** Decodes a part that may be bytes. Bytes are not an object of the value. */
  #part(tree: object): unknown {
    if (onlyKey(tree) === BYTES) return this.#bytes((tree as Tree)[BYTES]);
    const value = this.#of(tree);
    // A Uint8Array that is an object of the value would be taken for bytes, once for each reference to it.
    if (value instanceof Uint8Array) throw malformed('bytes');
    return value;
  }

  /** Returns bytes in memory of their own. */
  #bytes(content: unknown): Uint8Array {
    const { base64 } = this.#reading;
    if (base64 && typeof content === 'string') return base64(content);
    const tail = this.#tail;
    const length = content as number;
    if (!tail || !Number.isInteger(content) || length < 0 || length > tail.length) throw malformed('bytes');
    this.#tail = tail.subarray(length);
    return new Uint8Array(tail.subarray(0, length));
  }
}

/**
 * Decodes the text of one value, which must use all bytes of the tail.
 * @throws {CloneError} if the text is malformed or exceeds a limit
 */
export function readText(text: string, reading: Reading, options = NO_OPTIONS): unknown {
  const limits = reading.limits ?? resolveLimits(options.limits);
  const bytes = reading.tail?.length ?? 0;
  const tree = readTree(text, limits, bytes);
  // Most values end here, so engines need not even compile the code for the others.
  if (bytes === 0 && !isMarked(tree)) return tree;
  const reviver = new Reviver(reading, options);
  const value = reviver.value(tree);
  checkUsed(reviver);
  return value;
}

/**
 * Parses the JSON of a text, within the limits. A `Reviver` then turns the trees that `isMarked` accepts into values,
 * and counts their objects.
 * @param others The number of bytes that belong to the text.
 * @param levels The number of arrays around the values. A frame, for example, has an array around its entries.
 * @throws {CloneError} if the text is not JSON or exceeds a limit
 */
export function readTree(text: string, limits: Readonly<Limits>, others = 0, levels = 0): unknown {
  const { length } = text;
  if (others + MAX_UNIT_BYTES * length > limits.maxBytes) checkBytes(text, others, limits);
  const few = Math.min(limits.maxDepth, limits.maxObjects);
  // Each level takes an opening and a closing bracket.
  const isLarge = length > 2 * few && countOpened(text, few) > few;
  if (isLarge) checkOpened(text, limits);
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    // The engine's own error would quote the input of others.
    throw malformed('it is not JSON');
  }
  if (isLarge) checkNesting(tree, limits, levels);
  return tree;
}

/**
 * Throws if a tree nests deeper than `maxDepth`, or holds more objects than `maxObjects`. In a tree with marks, an
 * object may take two levels, and the objects are not counted: the `Reviver` checks such a tree exactly.
 */
function checkNesting(tree: unknown, limits: Readonly<Limits>, levels: number): void {
  const { maxDepth } = limits;
  let objects = 0;
  let deepest = maxDepth;
  const visit = (tree: unknown, depth: number): void => {
    if (!isObject(tree)) return;
    // In a tree with marks, a mark and its list are two levels of one object. A mark surrounds the value, and the
    // innermost mark, such as undefined, may not be an object.
    if (depth === 0) deepest = isMarked(tree) ? 2 * maxDepth + 2 : maxDepth;
    if (depth >= deepest) checkLimit('maxDepth', Number.POSITIVE_INFINITY, limits);
    if (deepest === maxDepth) checkLimit('maxObjects', ++objects, limits);
    for (const item of Object.values(tree)) visit(item, depth + 1);
  };
  visit(tree, -levels);
}

/**
 * Checks that the values of a message use all its bytes.
 * @throws {CloneError} if bytes are left
 */
export function checkUsed({ left }: Reviver): void {
  if (left > 0) throw malformed('bytes that nothing uses');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns true if a tree is that of a value with marks. */
export function isMarked(tree: unknown): tree is { readonly [VALUE]: unknown } {
  // Most trees have no such key, and to list the keys of an array takes long.
  return (tree as { [VALUE]?: unknown } | null)?.[VALUE] !== undefined && onlyKey(tree as object) === VALUE;
}
