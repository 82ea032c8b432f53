import { CloneError, limitExceeded, malformed } from '../clone-error.ts';
import { type Limits, parseBigInt, resolveLimits } from '../limits.ts';
import type { DecodeOptions } from '../options.ts';
import { ownProperty } from '../own-property.ts';
import { READERS } from '../types/readers.ts';
import type { Source, TypeName } from '../types/type-handler.ts';
import { fromBase64 } from './base64.ts';
import * as marks from './marks.ts';

const UNFINISHED = Symbol('unfinished');
const NUMBERS = new Map<unknown, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);

/**
 * Reads what `stringify` wrote; plain JSON reads as what it says.
 * @throws {CloneError} where the text is not JSON, marks are misused, or a limit is passed
 */
export function parse(text: string, options?: DecodeOptions): unknown {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    throw malformed('it is not JSON');
  }
  return new TextValue(options ?? {}).of(tree);
}

type Fields = Record<string, unknown>;

/** Turns the tree that JSON gave into the value it stands for, in place where it can. */
class TextValue implements Source {
  readonly #limits: Readonly<Limits>;
  readonly #refuse: DecodeOptions['refuse'];
  readonly #revive: DecodeOptions['revive'];
  readonly #objects: unknown[] = [];
  #depth = 0;
  #holes = 0;
  /** The parts of the instance being read, and how many of them are used up. */
  #parts: readonly unknown[] = [];
  #next = 0;

  constructor(options: DecodeOptions) {
    this.#limits = resolveLimits(options.limits);
    this.#refuse = options.refuse;
    this.#revive = options.revive;
  }

  of(tree: unknown): unknown {
    if (typeof tree !== 'object' || tree === null) return tree;
    if (++this.#depth > this.#limits.maxDepth) throw limitExceeded('maxDepth', this.#limits);
    const value = Array.isArray(tree) ? this.#array(tree) : this.#object(tree as Fields);
    this.#depth--;
    return value;
  }

  value(): unknown {
    const parts = this.#parts;
    const next = this.#next++;
    if (next >= parts.length) throw malformed('a part is missing');
    const value = this.of(parts[next]);
    // Reading the part may have read an instance with parts of its own.
    this.#parts = parts;
    this.#next = next + 1;
    return value;
  }

  integer(maximum: number): number {
    return integerOf(this.value(), maximum);
  }

  count(): number {
    return this.integer(this.#parts.length - this.#next);
  }

  string(): string {
    return stringOf(this.value());
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const part = this.#parts[this.#next++];
    return fromBase64(stringOf((part as Fields | undefined)?.[marks.BYTES]));
  }

  reserve(): number {
    return this.#objects.push(UNFINISHED) - 1;
  }

  define<T>(reserved: number, object: T): T {
    this.#objects[reserved] = object;
    return object;
  }

  #array(tree: unknown[]): unknown[] {
    const reserved = this.reserve();
    const holes = tree.some(isHoles);
    const array = this.define<unknown[]>(reserved, holes ? [] : tree);
    for (let index = 0; index < tree.length; index++) {
      const item = tree[index];
      if (isHoles(item)) this.#hole(array, item);
      else if (holes) array.push(this.of(item));
      else if (typeof item === 'object') array[index] = this.of(item);
    }
    return array;
  }

  #hole(array: unknown[], item: Fields): void {
    const left = this.#limits.maxHoles - this.#holes;
    const run = item[marks.HOLES];
    if (typeof run === 'number' && run > left) throw limitExceeded('maxHoles', this.#limits);
    this.#holes += integerOf(run, left);
    array.length += run as number;
  }

  #object(tree: Fields): unknown {
    const keys = Object.keys(tree);
    const mark = keys.find((key) => key.startsWith(marks.MARK));
    if (mark === undefined) return this.#plain(tree, keys, tree);
    if (mark.startsWith(marks.MARK + marks.MARK)) return this.#plain(tree, keys, {});
    if (keys.length > 1) throw malformed(`a mark, ${mark}, beside other keys`);
    return this.#marked(mark, tree[mark]);
  }

  /** Fills `target`: the tree itself where all its keys are as they were, else a new object, which keeps their order. */
  #plain(tree: Fields, keys: readonly string[], target: object): object {
    this.define(this.reserve(), target);
    for (const key of keys) {
      const item = tree[key];
      if (target !== tree) ownProperty(target, unescaped(key), this.of(item));
      else if (typeof item === 'object') tree[key] = this.of(item);
    }
    return target;
  }

  #marked(mark: string, content: unknown): unknown {
    switch (mark) {
      case marks.UNDEFINED:
        return undefined;
      case marks.NUMBER: {
        const number = NUMBERS.get(content);
        if (number === undefined) throw malformed('a number that JSON could have said');
        return number;
      }
      case marks.BIGINT:
        return this.#bigint(stringOf(content));
      case marks.REFERENCE: {
        const object = this.#objects[integerOf(content, this.#objects.length - 1)];
        if (object === UNFINISHED) throw malformed('a reference to an object that is not there');
        return object;
      }
      case marks.NULL_PROTOTYPE:
        if (typeof content !== 'object' || content === null || Array.isArray(content)) {
          throw malformed('a prototype of something that is no plain object');
        }
        return this.#plain(content as Fields, Object.keys(content), Object.create(null));
      case marks.EXTENSION:
        return this.#extension(content);
      default:
        return this.#instance(mark.slice(1) as TypeName, content);
    }
  }

  #bigint(digits: string): bigint {
    const value = parseBigInt(digits, this.#limits);
    if (value === undefined) throw malformed('a bigint is not a number');
    return value;
  }

  #extension(content: unknown): unknown {
    if (this.#revive === undefined) throw malformed('an extension that is not known here');
    if (!Array.isArray(content) || content.length !== 2) throw malformed('an extension has a kind and a payload');
    const reserved = this.reserve();
    const value = this.#revive(integerOf(content[0], Number.MAX_SAFE_INTEGER), this.of(content[1]));
    this.#objects[reserved] = value;
    return value;
  }

  #instance(name: TypeName, content: unknown): unknown {
    if (!Object.hasOwn(READERS, name)) throw malformed(`type ${name} is unknown`);
    if (this.#refuse?.includes(name)) throw new CloneError('NOT_CLONEABLE', `${name} is not accepted here`);
    if (!Array.isArray(content)) throw malformed(`the parts of ${name} are not a list`);
    this.#parts = content;
    this.#next = 0;
    const value = READERS[name](this);
    if (this.#next !== content.length) throw malformed(`${name} has parts that nothing uses`);
    return value;
  }
}

function unescaped(key: string): string {
  if (!key.startsWith(marks.MARK)) return key;
  if (!key.startsWith(marks.MARK + marks.MARK)) throw malformed(`a mark, ${key}, beside other keys`);
  return key.slice(marks.MARK.length);
}

function isHoles(item: unknown): item is Fields {
  return typeof item === 'object' && item !== null && Object.hasOwn(item, marks.HOLES);
}

function integerOf(value: unknown, maximum: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > maximum) {
    throw malformed(`an integer from 0 to ${maximum} was expected`);
  }
  return value;
}

function stringOf(value: unknown): string {
  if (typeof value !== 'string') throw malformed('a string was expected');
  return value;
}
