import type { Types } from '../types/find.ts';
import { notCloneable } from './clone-error.ts';
import { Counts } from './counts.ts';
import { checkBytes, checkLimit, type Limits, MAX_UNIT_BYTES, resolveLimits, withinDigits } from './limits.ts';
import { BEGINNING, BIGINT, BYTES, isMark, NULL, NUMBER, onlyKey, REFERENCE, UNDEFINED, VALUE } from './marks.ts';
import type { EncodeOptions } from './options.ts';
import type { located } from './path.ts';

/**
 * Options for writing a value, beside those that the user decides. Whoever does not need base64 or paths leaves out
 * their code.
 */
export interface Writing {
  /** Types carried beside plain data. */
  readonly types: Types;
  /** Bytes that follow the text. */
  readonly tail?: Uint8Array[];
  /** Writes bytes into the text, where there is no tail. */
  readonly base64?: (bytes: Uint8Array) => string;
  /** Adds to an error where in the value the trouble is, and what to do. */
  readonly locate?: typeof located;
  /** The extension whose first part is a form already, which stays as it is: JSON that may hold marks. */
  readonly verbatim?: string;
  /** The limits of the options, resolved by who writes many values. */
  readonly limits?: Readonly<Limits>;
  /** Set to what the objects of a value count as together, where it holds marks. */
  weight?: number;
}

const NO_OPTIONS: EncodeOptions = {};

/** Units that strings of the value being written may still have: one that is held many times is written each time. */
let room = 0;

/**
 * Returns the text of a value: JSON as it is where JSON says it, else `{"$": …}` with marks in it. Where it throws, the tail is as it was.
 * @param others Bytes that `maxBytes` bounds together with those of the value.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function textOf(value: unknown, writing: Writing, options = NO_OPTIONS, others = 0): string {
  const limits = writing.limits ?? resolveLimits(options.limits);
  const { maxBytes, maxDepth, maxObjects } = limits;
  const seen = new Set<object>();
  room = maxBytes;
  // Most values go no further than this, so what others need is not even compiled.
  if (!isJson(value, seen, maxDepth) || seen.size > maxObjects || room < 0) {
    return markedText(value, writing, options, limits, others);
  }
  const text = JSON.stringify(value);
  if (others + MAX_UNIT_BYTES * text.length > maxBytes) checkBytes(text, others, limits);
  return text;
}

/**
 * True if JSON says a value as it is: nothing in it is of a type that JSON does not have, is met twice, or looks like a
 * mark. It is the only code of ours that most values run, and so is kept small: engines have to compile it first.
 */
function isJson(value: unknown, seen: Set<object>, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      room -= value.length;
      return true;
    case 'boolean':
      return true;
    case 'number':
      // Not those that are no finite number, nor -0.
      return value - value === 0 && (value !== 0 || 1 / value > 0);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  const { size } = seen;
  if (seen.add(value).size === size || depth === 0) return false;
  if (Array.isArray(value)) {
    const { length } = value;
    // Holes are left out here, and named properties are not: where there are as many of both, a hole is undefined.
    if (Object.getPrototypeOf(value) !== Array.prototype || Object.values(value).length !== length) return false;
    for (let at = 0; at < length; at++) {
      const item = value[at];
      if (typeof item === 'string') room -= item.length;
      else if (!isJson(item, seen, depth - 1)) return false;
    }
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  let keys = 0;
  let last = '';
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    keys++;
    last = key;
    if (typeof item === 'string') room -= item.length;
    else if (!isJson(item, seen, depth - 1)) return false;
  }
  return keys !== 1 || !isMark(last);
}

function markedText(
  value: unknown,
  writing: Writing,
  options: EncodeOptions,
  limits: Readonly<Limits>,
  others: number,
): string {
  const { tail = [], types } = writing;
  const before = tail.length;
  try {
    let copy = new Copy(writing, options, limits);
    let form = copy.of(value);
    if ([...copy.uses.values()].includes(true)) {
      tail.length = before;
      copy = new Copy(writing, options, limits, copy.uses);
      form = copy.of(value);
    }
    checkLimit('maxBytes', copy.units, limits);
    const text = `${BEGINNING}${JSON.stringify(form)}}`;
    checkBytes(
      text,
      tail.slice(before).reduce((sum, { length }) => sum + length, others),
      limits,
    );
    writing.weight = copy.weight;
    return text;
  } catch (error) {
    tail.length = before;
    throw writing.locate?.(error, value, types) ?? error;
  }
}

type Fields = Record<string, unknown>;

/** Copies what JSON cannot say of one value, as marks; what JSON can say is used as it is. */
class Copy extends Counts<EncodeOptions> {
  readonly #writing: Writing;
  /** All objects of the value, in the order of their numbers, which are worked out where one is met again. */
  readonly #seen = new Set<object>();
  #numbers: Map<object, number> | undefined;
  /**
   * Buffers that were used, and whether more than once. That is known only when the second use is met: so a view is first written
   * with nothing but its own bytes, and where that was wrong for a buffer, the value is written once more.
   */
  readonly uses: Map<ArrayBufferLike, boolean>;
  readonly #isAgain: boolean;
  /** Units of all strings: one that is held many times is written each time. */
  units = 0;
  /** Those whose parts may not lead back to them. */
  readonly #unfinished: object[] = [];

  constructor(
    writing: Writing,
    options: EncodeOptions,
    limits: Readonly<Limits>,
    uses?: Map<ArrayBufferLike, boolean>,
  ) {
    super(options, limits);
    this.#writing = writing;
    this.#isAgain = !!uses;
    this.uses = uses ?? new Map();
  }

  shares(buffer: ArrayBufferLike): boolean {
    if (this.#isAgain) return this.uses.get(buffer)!;
    this.uses.set(buffer, this.uses.has(buffer));
    return false;
  }

  of(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        this.units += value.length;
        return value;
      case 'boolean':
        return value;
      case 'number':
        if (value - value === 0 && (value !== 0 || 1 / value > 0)) return value;
        return { [NUMBER]: value === 0 ? '-0' : `${value}` };
      case 'undefined':
        return { [UNDEFINED]: 0 };
      case 'bigint':
        return { [BIGINT]: withinDigits(`${value}`, this.limits) };
      case 'symbol':
        throw notCloneable(value, 'symbols');
      default:
        return value === null ? value : this.#object(value as object);
    }
  }

  #object(value: object): unknown {
    const { size } = this.#seen;
    if (this.#seen.add(value).size === size) {
      if (this.#unfinished.includes(value)) throw notCloneable(value, 'cycles through registered classes');
      this.#numbers ??= new Map([...this.#seen].map((known, number) => [known, number]));
      return { [REFERENCE]: this.#numbers.get(value) };
    }
    this.#numbers?.set(value, size);
    this.depth++;
    this.count(1);
    const prototype = Object.getPrototypeOf(value);
    const form = Array.isArray(value)
      ? this.#array(value, prototype)
      : prototype === Object.prototype
        ? this.#fields(value)
        : this.#instance(value, prototype);
    this.depth--;
    return form;
  }

  #array(value: unknown[], prototype: object | null): unknown {
    if (!isDense(value)) return this.#instance(value, prototype);
    // A class of lists may have a toJSON.
    let form = prototype === Array.prototype ? value : copyOf(value);
    for (let at = 0; at < value.length; at++) {
      const item = value[at];
      const its = this.of(item);
      if (its === item) continue;
      if (form === value) form = copyOf(value);
      form[at] = its;
    }
    return form;
  }

  /** Returns the object itself where all its values are what JSON says, else a copy, in a mark where it could be taken for one. */
  #fields(value: object, mark?: string): Fields {
    let form = value as Fields;
    for (const key in value) {
      const item = (value as Fields)[key];
      const its = this.of(item);
      if (its === item) continue;
      // It has `__proto__` as a property like any other.
      if (form === value) form = { ...form };
      form[key] = its;
    }
    if (mark === undefined) {
      const key = onlyKey(form);
      if (key === undefined || !isMark(key)) return form;
    }
    return { [mark ?? VALUE]: form };
  }

  #instance(value: object, prototype: object | null): unknown {
    if (prototype === null) return this.#fields(value, NULL);
    const row = this.#writing.types.find(value, prototype);
    if (row) {
      const { name, weight = 1, is, empty } = row;
      this.count(weight - 1);
      return this.#mark(name, row.parts(value, this), is && value, !is && !empty);
    }
    // A plain object of another realm.
    if (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')) {
      return this.#fields({ ...value });
    }
    const extension = this.options.extend?.(value);
    if (!extension) throw notCloneable(value);
    return this.#mark(extension.name, [...extension.parts], value);
  }

  /** Makes a mark; where it is of an `atom`, its parts may not lead back to that. */
  #mark(name: string, parts: unknown[], atom: object | undefined, isRecord = false): unknown {
    if (atom) this.#unfinished.push(atom);
    for (let at = name === this.#writing.verbatim ? 1 : 0; at < parts.length; at++) {
      const part = parts[at];
      parts[at] = isRecord && part instanceof Uint8Array ? this.#bytes(part) : this.of(part);
    }
    if (atom) this.#unfinished.pop();
    return { [`$${name}`]: parts };
  }

  #bytes(bytes: Uint8Array): unknown {
    const { tail, base64 } = this.#writing;
    checkLimit('maxBytes', bytes.length, this.limits);
    tail?.push(bytes);
    return { [BYTES]: tail ? bytes.length : base64?.(bytes) };
  }
}

function copyOf(value: unknown[]): unknown[] {
  // By index: a class of lists may have an iterator of its own.
  return Array.from({ length: value.length }, (_, at) => value[at]);
}

/**
 * True if an array has all its indices and no named properties. Nothing tells in less than time for each item; a list
 * of the values is much the quickest to get, since it needs no strings for the indices.
 */
function isDense(array: readonly unknown[]): boolean {
  const { length } = array;
  return (
    Object.values(array).length === length &&
    // As many holes as named properties, perhaps: `reduce` passes holes over.
    (!array.includes(undefined) || array.reduce((count: number) => count + 1, 0) === length)
  );
}
