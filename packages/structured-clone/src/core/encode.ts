import type { Types } from '../types/find.ts';
import { notCloneable } from './clone-error.ts';
import { Counts } from './counts.ts';
import { isDense } from './dense.ts';
import { checkBytes, checkLimit, type Limits, MAX_UNIT_BYTES, resolveLimits, withinDigits } from './limits.ts';
import { BEGINNING, BIGINT, BYTES, isMark, NULL, NUMBER, onlyKey, REFERENCE, UNDEFINED, VALUE } from './marks.ts';
import type { EncodeOptions } from './options.ts';
import { ownProperty } from './own-property.ts';
import type { located } from './path.ts';

/**
 * Options for encoding a value besides those of the user. `base64` and `locate` are options so that bundlers can leave
 * out their code.
 */
export interface Writing {
  /** The types supported besides plain data. */
  readonly types: Types;
  /** Receives the bytes that follow the text. */
  readonly tail?: Uint8Array[];
  /** Encodes bytes into the text. Used if there is no tail. */
  readonly base64?: (bytes: Uint8Array) => string;
  /** Adds the path in the value, and advice, to an error. */
  readonly locate?: typeof located;
  /** The name of the extension whose first part is a form already: JSON that may hold marks and stays as it is. */
  readonly verbatim?: string;
  /** The limits of the options, if they are resolved already because many values are encoded. */
  readonly limits?: Readonly<Limits>;
  /** Set to the total weight of the objects of a value, if the value holds marks. */
  weight?: number;
}

const NO_OPTIONS: EncodeOptions = {};

/**
 * The UTF-16 code units that strings of the current value may still take. A string counts each time it occurs, because
 * it is written each time.
 */
let unitsLeft = 0;
/** The number of objects in the current value, as far as it has been checked. */
let objects = 0;

/**
 * Returns the text of a value: plain JSON if JSON can represent it, and `{"$": …}` with marks otherwise. If it throws,
 * the tail is unchanged.
 * @param others The number of bytes that count towards `maxBytes` besides those of the value.
 * @throws {CloneError} if the value holds something that cannot be cloned, with the path to it
 */
export function textOf(value: unknown, writing: Writing, options = NO_OPTIONS, others = 0): string {
  const limits = writing.limits ?? resolveLimits(options.limits);
  const { maxBytes, maxDepth, maxObjects } = limits;
  unitsLeft = maxBytes;
  objects = 0;
  // Most values end here, so engines need not even compile the code for the others.
  if (!isJson(value, maxDepth) || objects > maxObjects || unitsLeft < 0) {
    return markedText(value, writing, options, limits, others);
  }
  const text = JSON.stringify(value);
  if (others + MAX_UNIT_BYTES * text.length > maxBytes) checkBytes(text, others, limits);
  return text;
}

/**
 * Returns true if JSON can represent a value as it is: it holds no type that JSON lacks, no object twice, and nothing
 * that looks like a mark. This is the only code of ours that runs for most values. It is small because engines have to
 * compile it first. The loops check most items without a call, and a value that is a single object needs no set.
 */
function isJson(value: unknown, depth: number, seen?: Set<unknown>): boolean {
  if (typeof value === 'string') {
    unitsLeft -= value.length;
    return true;
  }
  if (typeof value !== 'object' || value === null) return value === null || isScalar(value);
  objects++;
  if (depth === 0 || (seen && seen.size === seen.add(value).size)) return false;
  if (Array.isArray(value)) {
    const { length } = value;
    // `Object.values` leaves out holes but includes named properties. If there are as many of both, the loop below
    // finds a hole as undefined.
    if (Object.getPrototypeOf(value) !== Array.prototype || Object.values(value).length !== length) return false;
    for (let at = 0; at < length; at++) {
      const item = value[at];
      if (typeof item === 'string') unitsLeft -= item.length;
      else if (typeof item === 'object') {
        seen ??= new Set<unknown>().add(value);
        if (!isJson(item, depth - 1, seen)) return false;
      } else if (!isScalar(item)) return false;
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
    if (typeof item === 'string') unitsLeft -= item.length;
    else if (typeof item === 'object') {
      seen ??= new Set<unknown>().add(value);
      if (!isJson(item, depth - 1, seen)) return false;
    } else if (!isScalar(item)) return false;
  }
  return keys !== 1 || !isMark(last);
}

/** Returns true for booleans, and for numbers that JSON can represent: not NaN, the infinities and -0. */
function isScalar(value: unknown): boolean {
  return typeof value === 'number' ? value - value === 0 && (value !== 0 || 1 / value > 0) : typeof value === 'boolean';
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
    const shared = new Set<ArrayBufferLike>();
    let copy = new FormBuilder(writing, options, limits, shared);
    let form = copy.of(value);
    // That a buffer is shared is only known when it is used again. By then its first view has been encoded without it.
    if (shared.size > 0) {
      tail.length = before;
      copy = new FormBuilder(writing, options, limits, shared);
      form = copy.of(value);
    }
    checkLimit('maxBytes', copy.units, limits);
    const text = `${BEGINNING}${JSON.stringify(form)}}`;
    checkBytes(text, others + copy.bytes, limits);
    writing.weight = copy.weight;
    return text;
  } catch (error) {
    tail.length = before;
    throw writing.locate?.(error, value, types) ?? error;
  }
}

type Fields = Record<string, unknown>;

/** Builds the form of one value. It uses whatever JSON can represent as it is, and copies the rest as marks. */
class FormBuilder extends Counts<EncodeOptions> {
  readonly #writing: Writing;
  /**
   * All objects of the value, in the order of their numbers. The numbers are worked out when an object occurs again.
   */
  readonly #seen = new Set<object>();
  #numbers: Map<object, number> | undefined;
  readonly #used = new Set<ArrayBufferLike>();
  /** The buffers that several objects use, as far as it is known. */
  readonly #shared: Set<ArrayBufferLike>;
  /** The UTF-16 code units of all strings. A string counts each time it occurs, because it is written each time. */
  units = 0;
  /** The number of bytes that the value has added to the tail. */
  bytes = 0;
  /** Objects that are being taken apart and whose parts may not refer back to them. */
  readonly #unfinished: object[] = [];

  constructor(writing: Writing, options: EncodeOptions, limits: Readonly<Limits>, shared: Set<ArrayBufferLike>) {
    super(options, limits);
    this.#writing = writing;
    this.#shared = shared;
  }

  shares(buffer: ArrayBufferLike): boolean {
    if (this.#used.has(buffer)) this.#shared.add(buffer);
    this.#used.add(buffer);
    return this.#shared.has(buffer);
  }

  of(value: unknown): unknown {
    if (value === null || isScalar(value)) return value;
    switch (typeof value) {
      case 'string':
        this.units += value.length;
        return value;
      case 'number':
        return { [NUMBER]: value === 0 ? '-0' : `${value}` };
      case 'undefined':
        return { [UNDEFINED]: 0 };
      case 'bigint':
        return { [BIGINT]: withinDigits(`${value}`, this.limits) };
      case 'symbol':
        throw notCloneable(value, 'symbols');
      default:
        return this.#object(value as object);
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
    // An array without a prototype travels like any other.
    const parent = prototype ?? Array.prototype;
    const isRegistered = parent !== Array.prototype && this.#writing.types.find(value, parent)?.is;
    if (isRegistered || !isDense(value)) return this.#instance(value, parent);
    // A subclass of Array may have a `toJSON` method.
    let form = prototype === Array.prototype ? value : Object.values(value);
    for (let at = 0; at < value.length; at++) {
      const item = value[at];
      const its = this.of(item);
      if (its === item) continue;
      if (form === value) form = Object.values(value);
      form[at] = its;
    }
    return form;
  }

  /**
   * Returns the object itself if JSON can represent all its values, and a copy otherwise. The result is wrapped in
   * `mark`, if given, or in a mark of its own if it looks like a mark.
   */
  #fields(value: object, mark?: string): Fields {
    let form = value as Fields;
    for (const key in value) {
      const item = (value as Fields)[key];
      const its = this.of(item);
      if (its === item) continue;
      if (form === value) form = copyOf(value);
      form[key] = its;
    }
    return mark || isMark(onlyKey(form)) ? { [mark ?? VALUE]: form } : form;
  }

  #instance(value: object, prototype: object | null): unknown {
    // JSON would write the text in an object of `JSON.rawJSON`, which has no prototype, but not in its copy.
    if (prototype === null) return this.#fields(copyOf(value), NULL);
    const row = this.#writing.types.find(value, prototype);
    if (row) {
      const { mark, weight = 1, is, empty } = row;
      this.count(weight - 1);
      return this.#mark(mark, row.parts(value, this), is && value, 0, !is && !empty);
    }
    // A plain object of another realm.
    if (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')) {
      return this.#fields(value);
    }
    const extension = this.options.extend?.(value);
    if (!extension) throw notCloneable(value);
    const { name, parts } = extension;
    return this.#mark(`$${name}`, [...parts], value, name === this.#writing.verbatim ? 1 : 0);
  }

  /** Creates a mark of parts that are values from the `first`. If `atom` is given, they may not refer back to it. */
  #mark(mark: string, parts: unknown[], atom: object | undefined, first: 0 | 1, isRecord = false): unknown {
    if (atom) this.#unfinished.push(atom);
    for (let at = first; at < parts.length; at++) {
      const part = parts[at];
      parts[at] = isRecord && part instanceof Uint8Array ? this.#bytes(part) : this.of(part);
    }
    if (atom) this.#unfinished.pop();
    return { [mark]: parts };
  }

  #bytes(bytes: Uint8Array): unknown {
    const { tail, base64 } = this.#writing;
    checkLimit('maxBytes', bytes.length, this.limits);
    if (!tail) return { [BYTES]: base64?.(bytes) };
    this.bytes += bytes.length;
    tail.push(bytes);
    return { [BYTES]: bytes.length };
  }
}

/** Copies the fields of an object. `__proto__` is one like any other. */
function copyOf(value: object): Fields {
  const keys = Object.keys(value);
  // Indices come first.
  if (!/^\d/.test(keys[0])) return { ...value };
  const copy = {};
  for (const key of keys) ownProperty(copy, key, (value as Fields)[key]);
  return copy;
}
