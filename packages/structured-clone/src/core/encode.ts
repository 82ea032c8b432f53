import type { Types } from '../types/find.ts';
import type { EncodeContext } from '../types/row.ts';
import { notCloneable } from './clone-error.ts';
import { toJson } from './json.ts';
import {
  addWeight,
  type Counts,
  checkBytes,
  checkLimit,
  type Limits,
  MAX_UNIT_BYTES,
  resolveLimits,
  withinDigits,
} from './limits.ts';
import { BEGINNING, BIGINT, BYTES, isMark, NULL, NUMBER, REFERENCE, UNDEFINED, VALUE } from './marks.ts';
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

const NO_OPTIONS: EncodeOptions = Object.create(null);

/**
 * Returns the text of a value: plain JSON if JSON can represent it, and `{"$": …}` with marks otherwise. If it throws,
 * the tail is unchanged.
 * @param others The number of bytes that count towards `maxBytes` besides those of the value.
 * @throws {CloneError} if the value holds something that cannot be cloned, with the path to it
 */
export function textOf(value: unknown, writing: Writing, options = NO_OPTIONS, others = 0): string {
  const limits = writing.limits ?? resolveLimits(options.limits);
  const { tail = [], types } = writing;
  const before = tail.length;
  try {
    let builder = new FormBuilder(writing, options, limits);
    let form = builder.of(value);
    const { shared } = builder;
    // That a buffer is shared is only known when it is used again. By then its first view has been encoded without it.
    if (shared !== undefined) {
      tail.length = before;
      builder = new FormBuilder(writing, options, limits, shared);
      form = builder.of(value);
    }
    if (builder.units > limits.maxBytes) checkLimit('maxBytes', builder.units, limits);
    const json = 'toJSON' in [] ? toJson(form) : JSON.stringify(form);
    const text = builder.isMarked ? `${BEGINNING}${json}}` : json;
    const bytes = others + builder.bytes;
    if (bytes + MAX_UNIT_BYTES * text.length > limits.maxBytes) checkBytes(text, bytes, limits);
    if (builder.isMarked) writing.weight = builder.weight;
    return text;
  } catch (error) {
    tail.length = before;
    throw writing.locate?.(error, value, types) ?? error;
  }
}

type Fields = Record<string, unknown>;

/**
 * Builds the form of one value: a copy that JSON can represent, with marks where JSON lacks a type. It reads each
 * property once, and JSON reads only the copy: the value may have accessors, or a `toJSON` that nobody sees.
 */
class FormBuilder implements Counts, EncodeContext {
  readonly options: EncodeOptions;
  readonly limits: Readonly<Limits>;
  readonly #writing: Writing;
  weight = 0;
  depth = 0;
  holes = 0;
  /** The UTF-16 code units of all strings. A string counts each time it occurs, because it is written each time. */
  units = 0;
  /** The number of bytes that the value has added to the tail. */
  bytes = 0;
  /** True if the form has marks. */
  isMarked = false;
  /** The first object. A value that is a single object needs no set. */
  #first: object | undefined;
  /**
   * All objects of the value, in the order of their numbers. The numbers are worked out when an object occurs again.
   */
  #seen: Set<object> | undefined;
  #numbers: Map<object, number> | undefined;
  #used: Set<ArrayBufferLike> | undefined;
  /** The buffers that several objects use, as far as it is known. */
  shared: Set<ArrayBufferLike> | undefined;
  /** Objects that are being taken apart and whose parts may not refer back to them. */
  #unfinished: object[] | undefined;

  constructor(writing: Writing, options: EncodeOptions, limits: Readonly<Limits>, shared?: Set<ArrayBufferLike>) {
    this.#writing = writing;
    this.options = options;
    this.limits = limits;
    this.shared = shared;
  }

  count(weight: number): void {
    addWeight(this, weight);
  }

  shares(buffer: ArrayBufferLike): boolean {
    this.#used ??= new Set();
    if (this.#used.has(buffer)) this.shared = (this.shared ?? new Set()).add(buffer);
    this.#used.add(buffer);
    return this.shared?.has(buffer) ?? false;
  }

  of(value: unknown): unknown {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return this.#primitive(value);
    if (this.#first === undefined) this.#first = value;
    else {
      this.#seen ??= new Set([this.#first]);
      const { size } = this.#seen;
      if (this.#seen.add(value).size === size) return this.#again(value, this.#seen);
      this.#numbers?.set(value, size);
    }
    const { maxDepth, maxObjects } = this.limits;
    if (++this.depth > maxDepth || ++this.weight > maxObjects) this.count(0);
    const prototype = Object.getPrototypeOf(value);
    const form = Array.isArray(value)
      ? this.#array(value, prototype)
      : prototype === Object.prototype
        ? this.#fields(value)
        : this.#instance(value, prototype);
    this.depth--;
    return form;
  }

  #primitive(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        this.units += value.length;
        return value;
      case 'number':
        return isJson(value) ? value : this.#mark(NUMBER, value === 0 ? '-0' : `${value}`);
      case 'undefined':
        return this.#mark(UNDEFINED, 0);
      case 'bigint':
        return this.#mark(BIGINT, withinDigits(`${value}`, this.limits));
      case 'symbol':
        throw notCloneable(value, 'symbols');
      default:
        return value;
    }
  }

  /** Refers to an object that occurs again. */
  #again(value: object, seen: ReadonlySet<object>): Fields {
    if (this.#unfinished?.includes(value)) throw notCloneable(value, 'cycles through registered classes');
    this.#numbers ??= new Map([...seen].map((known, number) => [known, number]));
    return this.#mark(REFERENCE, this.#numbers.get(value));
  }

  #array(value: unknown[], prototype: object | null): unknown {
    // An array without a prototype travels like any other.
    const parent = prototype ?? Array.prototype;
    const isRegistered = parent !== Array.prototype && this.#writing.types.find(value, parent)?.is;
    const form = Object.values(value);
    // Listing the values takes no time for holes. There may be as many holes as named properties.
    let isDense = !isRegistered && form.length === value.length;
    for (let at = 0; isDense && at < form.length; at++) {
      isDense = Object.hasOwn(value, at);
    }
    if (!isDense) return this.#instance(value, parent);
    let units = 0;
    for (let at = 0; at < form.length; at++) {
      const item = form[at];
      // Most items need no call.
      if (typeof item === 'string') units += item.length;
      else if (typeof item === 'object') {
        if (item !== null) form[at] = this.of(item);
      } else if (typeof item !== 'number' || item - item !== 0 || Object.is(item, -0)) form[at] = this.of(item);
    }
    this.units += units;
    return form;
  }

  /** Returns a copy of an object, wrapped in `mark`, if given, or in a mark of its own if it looks like a mark. */
  #fields(value: object, mark?: string): Fields {
    const keys = Object.keys(value);
    const form = copyOf(value, keys);
    let left = keys.length;
    let units = 0;
    for (const key in form) {
      // Keys that all objects inherit come last.
      if (left-- === 0) break;
      const item = form[key];
      if (typeof item === 'string') units += item.length;
      else if (typeof item === 'object' ? item !== null : !isJson(item)) form[key] = this.of(item);
    }
    this.units += units;
    return mark || (keys.length === 1 && isMark(keys[0])) ? this.#mark(mark ?? VALUE, form) : form;
  }

  #instance(value: object, prototype: object | null): unknown {
    if (prototype === null) return this.#fields(value, NULL);
    const row = this.#writing.types.find(value, prototype);
    if (row) {
      const { mark, weight = 1, is, empty } = row;
      this.count(weight - 1);
      return this.#parts(mark, row.parts(value, this), is && value, 0, !is && !empty);
    }
    // A plain object of another realm.
    if (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')) {
      return this.#fields(value);
    }
    const extension = this.options.extend?.(value);
    if (!extension) throw notCloneable(value);
    const { name, parts } = extension;
    return this.#parts(`$${name}`, [...parts], value, name === this.#writing.verbatim ? 1 : 0);
  }

  #mark(mark: string, content: unknown): Fields {
    this.isMarked = true;
    return { [mark]: content };
  }

  /** Creates a mark of parts that are values from the `first`. If `atom` is given, they may not refer back to it. */
  #parts(mark: string, parts: unknown[], atom: object | undefined, first: 0 | 1, isRecord = false): unknown {
    if (atom) {
      this.#unfinished ??= [];
      this.#unfinished.push(atom);
    }
    for (let at = first; at < parts.length; at++) {
      const part = parts[at];
      parts[at] = isRecord && part instanceof Uint8Array ? this.#bytes(part) : this.of(part);
    }
    if (atom) this.#unfinished?.pop();
    return this.#mark(mark, parts);
  }

  #bytes(bytes: Uint8Array): unknown {
    const { tail, base64 } = this.#writing;
    checkLimit('maxBytes', bytes.length, this.limits);
    if (!tail) return this.#mark(BYTES, base64?.(bytes));
    this.bytes += bytes.length;
    tail.push(bytes);
    return this.#mark(BYTES, bytes.length);
  }
}

/** Returns true for booleans, and for numbers that JSON can represent: not NaN, the infinities and -0. */
function isJson(value: unknown): boolean {
  return typeof value === 'number' ? value - value === 0 && (value !== 0 || 1 / value > 0) : typeof value === 'boolean';
}

/** Copies the fields of an object with these keys. `__proto__` is one like any other. */
function copyOf(value: object, keys: readonly string[]): Fields {
  // Indices come first. V8 makes room for all smaller ones, unless the first one was read-only.
  if (!(keys[0] < ':')) return { ...value };
  // Without a prototype, assigning runs no setter.
  const copy = Object.create(null);
  ownProperty(copy, keys[0], 0);
  for (const key of keys) copy[key] = (value as Fields)[key];
  return copy;
}
