import type { Types } from '../types/find.ts';
import type { Row } from '../types/row.ts';
import { CloneError, malformed, notAccepted } from './clone-error.ts';
import { Counts } from './counts.ts';
import {
  checkBytes,
  checkLimit,
  checkOpened,
  countOpened,
  type Limits,
  MAX_UNIT_BYTES,
  resolveLimits,
  withinDigits,
} from './limits.ts';
import { BEGINNING, BIGINT, BYTES, isMark, NULL, NUMBER, onlyKey, REFERENCE, UNDEFINED, VALUE } from './marks.ts';
import type { DecodeOptions } from './options.ts';

/** Input of the decoder beside the text, and how to read it. */
export interface Reading {
  /** Types carried beside plain data. */
  readonly types: Types;
  /** Bytes that followed the text. */
  readonly tail?: Uint8Array;
  /** Reads bytes that are in the text, where there is no tail. */
  readonly base64?: (text: string) => Uint8Array;
  /** The extension whose first part stays as JSON gave it: a form, of which nothing is made here. */
  readonly verbatim?: string;
  /** The limits of the options, resolved by who reads many values. */
  readonly limits?: Readonly<Limits>;
}

const NO_OPTIONS: DecodeOptions = {};
/** Those that JSON does not have. */
const NUMBERS: readonly unknown[] = ['NaN', 'Infinity', '-Infinity', '-0'];

/** Stands for an object that is not made yet: nothing else is like it, and undefined may have been made. */
const UNMADE = Symbol();

type Tree = Record<string, unknown>;

/** Makes values of trees that JSON gave, in place where it can. Several may share a tail, whose bytes are taken in their order. */
export class Reviver extends Counts<DecodeOptions> {
  readonly #types: Types;
  readonly #tail: Uint8Array | undefined;
  readonly #base64: Reading['base64'];
  readonly #verbatim: string | undefined;
  #taken = 0;
  /** By number; `UNMADE` while one cannot be made yet. */
  #objects: unknown[] = [];

  constructor({ types, tail, base64, verbatim, limits }: Reading, options = NO_OPTIONS) {
    super(options, limits);
    this.#types = types;
    this.#tail = tail;
    this.#base64 = base64;
    this.#verbatim = verbatim;
  }

  /** Bytes of the tail that nothing has used yet. */
  get left(): number {
    return (this.#tail?.length ?? 0) - this.#taken;
  }

  /**
   * Makes a value of its tree: the tree itself where it holds no marks.
   * @throws {CloneError} where marks are misused, or a limit is passed
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

  /** Gives an object the next number. What has none, such as undefined, is no level of its own. */
  #identify<T>(object: T): T {
    this.count(1);
    this.#objects.push(object);
    return object;
  }

  /** Makes values of the items of a list; with `isRecord`, of those of a row whose parts may be bytes. */
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
      const item = tree[key];
      if (!isObject(item)) continue;
      const value = this.#of(item);
      // It is its own property, also where its name is `__proto__`.
      if (value !== item) tree[key] = value;
    }
    return tree;
  }

  #object(tree: Tree): unknown {
    const mark = onlyKey(tree);
    if (mark === undefined || !isMark(mark)) return this.#fields(tree);
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
      case REFERENCE: {
        const isThere = Number.isInteger(content) && (content as number) in this.#objects;
        const object = isThere ? this.#objects[content as number] : UNMADE;
        if (object !== UNMADE) return object;
        break;
      }
      case VALUE:
      case NULL:
        if (!isObject(content) || Array.isArray(content)) break;
        // An object without prototype has no setters that assigning would run.
        return this.#fields(mark === NULL ? Object.assign(Object.create(null), content) : content);
      default:
        return this.#instance(mark, this.#types.byMark.get(mark), content);
    }
    throw malformed(mark);
  }

  /** Makes an instance by its row, or what an extension stands for. */
  #instance(mark: string, row: Row | undefined, content: unknown): unknown {
    const name = row?.name ?? mark.slice(1);
    const { refuse, revive } = this.options;
    if (!row && !revive) throw malformed(`type ${name} is unknown`);
    if (!Array.isArray(content)) throw malformed(name);
    if (refuse?.includes(name)) throw notAccepted(name);
    this.count((row?.weight ?? 1) - 1);
    const number = this.#objects.length;
    const empty = row?.empty?.();
    this.#identify(empty ?? UNMADE);
    // Parts may be values of any kind.
    const isOpen = !row || row.is;
    this.#list(content, name === this.#verbatim ? 1 : 0, !isOpen && !empty);
    try {
      const made = row ? row.make(content, this, empty) : revive!(name, content);
      if (empty) return empty;
      this.#objects[number] = made;
      return made;
    } catch (error) {
      throw isOpen || error instanceof CloneError ? error : malformed(name);
    }
  }

  /** Reads what may be bytes, and then is no object of the value. */
  #part(tree: object): unknown {
    if (onlyKey(tree) === BYTES) return this.#bytes((tree as Tree)[BYTES]);
    const value = this.#of(tree);
    // Those of another object would be taken for bytes, once more for each that refers to them.
    if (value instanceof Uint8Array) throw malformed('bytes');
    return value;
  }

  /** Returns bytes in memory of their own. */
  #bytes(content: unknown): Uint8Array {
    const tail = this.#tail;
    if (this.#base64 && typeof content === 'string') return this.#base64(content);
    const length = content as number;
    if (tail === undefined || !Number.isInteger(content) || length < 0 || length > this.left) throw malformed('bytes');
    this.#taken += length;
    return new Uint8Array(tail.subarray(this.#taken - length, this.#taken));
  }
}

/**
 * Reads the text of one value, which has to use all bytes of the tail.
 * @throws {CloneError} where the text is malformed, or passes a limit
 */
export function readText(text: string, reading: Reading, options = NO_OPTIONS): unknown {
  const limits = reading.limits ?? resolveLimits(options.limits);
  const bytes = reading.tail?.length ?? 0;
  const tree = readTree(text, limits, bytes);
  // Most values go no further than this, so what others need is not even compiled.
  if (bytes === 0 && !text.startsWith(BEGINNING)) return tree;
  const reviver = new Reviver(reading, options);
  const value = reviver.value(tree);
  checkUsed(reviver);
  return value;
}

/**
 * Reads the JSON of a text, within the limits. Of what `isMarked` in it, a reviver then makes values, and counts these.
 * @param others Bytes that belong to the text.
 * @param levels Arrays around the values, as a frame has around its entries.
 * @throws {CloneError} where the text is not JSON, or passes a limit
 */
export function readTree(text: string, limits: Readonly<Limits>, others = 0, levels = 0): unknown {
  const { length } = text;
  if (others + MAX_UNIT_BYTES * length > limits.maxBytes) checkBytes(text, others, limits);
  const few = Math.min(limits.maxDepth, limits.maxObjects);
  // Each level takes a bracket on either side.
  const isLarge = length > 2 * few && countOpened(text, few) > few;
  if (isLarge) checkOpened(text, limits);
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    // The engine's own error would show what others sent.
    throw malformed('it is not JSON');
  }
  if (isLarge) checkNesting(tree, limits, levels);
  return tree;
}

/** Throws where values nest too deep, or hold too many objects; of those with marks, only where nothing that is read could nest so. */
function checkNesting(tree: unknown, limits: Readonly<Limits>, levels: number): void {
  const { maxDepth } = limits;
  let objects = 0;
  let deepest = maxDepth;
  const visit = (tree: unknown, depth: number): void => {
    if (!isObject(tree)) return;
    // A mark and its list are two levels of one object, and there is a mark around the value, or one that is none inside.
    if (depth === 0) deepest = isMarked(tree) ? 2 * maxDepth + 2 : maxDepth;
    if (depth >= deepest) checkLimit('maxDepth', Number.POSITIVE_INFINITY, limits);
    if (deepest === maxDepth) checkLimit('maxObjects', ++objects, limits);
    for (const item of Object.values(tree)) visit(item, depth + 1);
  };
  visit(tree, -levels);
}

/**
 * Makes sure that the values of a message use all its bytes.
 * @throws {CloneError} where some are left
 */
export function checkUsed({ left }: Reviver): void {
  if (left > 0) throw malformed('bytes that nothing uses');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** True if a tree is that of a value with marks. */
export function isMarked(tree: unknown): tree is { readonly [VALUE]: unknown } {
  return isObject(tree) && onlyKey(tree) === VALUE;
}
