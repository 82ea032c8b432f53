import { describe, notCloneable } from './clone-error.ts';
import { checkBytes, checkDigits, checkLimit, type Limits } from './limits.ts';
import { isErrorName, ownProperty, type Types } from './types/types.ts';

/** Bodies read beforehand, by the Blob, File, Request or Response that they come from. */
export type Bodies = ReadonlyMap<object, Uint8Array>;

/** The encoding of a value that the codec does not support itself. */
export interface Extension {
  /**
   * A name that means the same on both sides. It begins with a small letter and is not one of the codec's own marks.
   */
  readonly name: string;
  /** The parts that `revive` gets on the other side: values of any kind that do not refer back to the extended value. */
  readonly parts: readonly unknown[];
}

/** How to write one value. */
export interface Writing {
  /** The types supported besides plain data. */
  readonly types: Types;
  readonly limits: Readonly<Limits>;
  /** Receives the bytes of the value, in order. */
  readonly tail: Uint8Array[];
  /** Encodes bytes into the text. The tail is then not used. */
  readonly base64?: ((bytes: Uint8Array) => string) | undefined;
  readonly bodies?: Bodies | undefined;
  /** True to include the stacks of errors. */
  readonly stacks?: boolean | undefined;
  /** The name of the value in paths. @default 'value' */
  readonly root?: string | undefined;
  /**
   * Asked for functions and for instances of all classes before the types are. Returns what to write for a value that is
   * passed by reference; undefined if it is data.
   */
  refer?(value: object): Extension | undefined;
  /** As `refer`, but asked only for what would be refused. */
  extend?(value: object): Extension | undefined;
}

/**
 * Returns the JSON text of a value. A text that begins with `{"$":` holds marks. If it throws, the tail is unchanged.
 * @throws {CloneError} if the value holds something that cannot be cloned, with the path to it
 */
export function write(value: unknown, writing: Writing): string {
  const { tail } = writing;
  const before = tail.length;
  const text = writeShared(value, writing);
  // The caller may change its buffers after the call.
  for (let at = before; at < tail.length; at++) tail[at] = tail[at].slice();
  return text;
}

/** Returns true for parsed JSON that holds marks. */
export function isMarked(tree: unknown): tree is { $: unknown } {
  return typeof tree === 'object' && tree !== null && Object.hasOwn(tree, '$') && !Array.isArray(tree);
}

type Fields = Record<string, unknown>;

/**
 * As `write`, but the bytes in the tail are still in the memory of the value. It builds the form of the value, in which
 * marks stand for what JSON does not have. The form is a copy of all objects: so each property is read once, and what
 * was checked is what is sent.
 */
export function writeShared(value: unknown, writing: Writing): string {
  const { limits, tail, types, base64 } = writing;
  const before = tail.length;
  let hasMarks = false;
  let depth = 0;
  let weight = 0;
  let holes = 0;
  let bytes = 0;
  /** The first object. A set takes longer to make than most values that are a single object take to write. */
  let first: object | undefined;
  /** All objects of the value, in the order of their numbers. Numbers are worked out when an object occurs again. */
  let seen: Set<object> | undefined;
  let numbers: Map<object, number> | undefined;
  /** Objects that are being taken apart and whose parts may not refer back to them. */
  const unfinished: object[] = [];
  let used: Set<object> | undefined;
  /** The buffers that several objects use, as far as it is known. */
  let shared: Set<object> | undefined;

  const begin = (): unknown => {
    tail.length = before;
    hasMarks = false;
    depth = weight = holes = bytes = 0;
    first = seen = numbers = used = undefined;
    return of(value);
  };

  const count = (by: number) => {
    weight += by;
    checkLimit('maxDepth', depth, limits);
    checkLimit('maxObjects', weight, limits);
  };

  const mark = (name: string, content: unknown): Fields => {
    hasMarks = true;
    return { [name]: content };
  };

  const of = (value: unknown): unknown => {
    switch (typeof value) {
      case 'number':
        return isJson(value) ? value : mark('$number', value === 0 ? '-0' : `${value}`);
      case 'undefined':
        return mark('$undefined', 0);
      case 'bigint': {
        const digits = `${value}`;
        checkDigits(digits, limits);
        return mark('$bigint', digits);
      }
      case 'symbol':
        throw notCloneable(value, 'symbols');
      case 'object':
      case 'function':
        return value && object(value);
    }
    return value;
  };

  const object = (value: object): unknown => {
    if (first) {
      seen ??= new Set([first]);
      const { size } = seen;
      if (seen.add(value).size === size) {
        if (unfinished.includes(value)) throw notCloneable(value, 'cycles through registered classes');
        numbers ??= new Map([...seen].map((known, number) => [known, number]));
        return mark('$reference', numbers.get(value));
      }
      numbers?.set(value, size);
    } else first = value;
    depth++;
    count(1);
    const prototype = Object.getPrototypeOf(value);
    const form =
      prototype === Object.prototype
        ? fields(value)
        : prototype === Array.prototype && Array.isArray(value)
          ? list(value)
          : instance(value, prototype);
    depth--;
    return form;
  };

  /** Returns the form of a plain object, which is a mark of its own if it looks like a mark. */
  const fields = (value: object, its?: string): Fields => {
    const form = copyOf(value as Fields);
    const keys = Object.keys(form);
    fill(form, Object.values(form), keys);
    return its || (keys.length === 1 && keys[0][0] === '$') ? mark(its ?? '$', form) : form;
  };

  /** Returns the form of an array, which is a mark if it has holes or named properties. */
  const list = (value: unknown[]): unknown => {
    const form = Object.values(value);
    const { length } = value;
    // There may be as many holes as named properties.
    if (form.length === length && form.every((_, at) => Object.hasOwn(value, at))) return fill(form, form);
    holes += Math.max(length - form.length, 0);
    checkLimit('maxHoles', holes, limits);
    const keys = Object.keys(value);
    fill(form, form);
    return mark('$Array', [length, ...keys.flatMap((key, at) => [key, form[at]])]);
  };

  /** Replaces those of the items in a form that JSON does not have. */
  const fill = <Form>(form: Form, items: unknown[], keys?: string[]): Form => {
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      // Most items need no call.
      if (typeof item === 'object' ? item : typeof item !== 'string' && !isJson(item)) {
        (form as Fields)[keys ? keys[at] : at] = of(item);
      }
    }
    return form;
  };

  const instance = (value: object, prototype: object | null): unknown => {
    const isList = Array.isArray(value);
    if (!prototype) return isList ? list(value) : fields(value, '$null');
    let its = writing.refer?.(value) ?? types.encode?.(value);
    if (!its && typeof value !== 'function') {
      if (isList) return list(value);
      const found = typed(value, prototype);
      if (found) return found;
      // A plain object of another realm.
      if (!Object.getPrototypeOf(prototype) && Object.hasOwn(prototype, 'isPrototypeOf')) return fields(value);
    }
    its ??= writing.extend?.(value);
    if (!its) throw notCloneable(value);
    const { name, parts } = its;
    unfinished.push(value);
    const form = parts.map(of);
    unfinished.pop();
    return mark(`$${name}`, form);
  };

  /**
   * Returns the form of an instance of a supported class. Built-in classes name themselves, in every realm. But any class
   * can give itself any name, so that class must also be among those that the instance inherits from. An error has the
   * class of its nearest ancestor that is supported, whatever it calls itself.
   */
  const typed = (value: object, prototype: object): unknown => {
    // The classes of `Temporal` share one mark, so their tags have two parts.
    const [type, tag = type] = Object.prototype.toString.call(value).slice(8, -1).split('.');
    for (let at = prototype; at; at = Object.getPrototypeOf(at)) {
      const own = Object.hasOwn(at, 'constructor') && at.constructor?.name;
      if (!own || (own !== tag && !/Error$/.test(own))) continue;
      const name = own === tag ? type : own;
      let parts: unknown[] | undefined;
      try {
        parts = types.take(name, value, writing, isShared);
      } catch (error) {
        // The platform throws one if the value only looks like an instance, as a Proxy does, or can no longer be used.
        throw error instanceof TypeError && !/Error$/.test(name) ? notCloneable(value) : error;
      }
      if (!parts) continue;
      if (!isErrorName(name) && !ArrayBuffer.isView(value)) refuseNamed(value);
      count(types.weigh(name, parts) - 1);
      // Other instances hold bytes that are no objects of the value.
      const isOpen = /^(Map|Set|.*Error)$/.test(name);
      const form = parts.map((part) => {
        if (isOpen || !(part instanceof Uint8Array)) return of(part);
        if (base64) return { $bytes: base64(part) };
        bytes += part.length;
        tail.push(part);
        return { $bytes: part.length };
      });
      return mark(`$${name}`, form);
    }
    return undefined;
  };

  /** Records one more use of a buffer. Returns true if the whole buffer must be written. */
  const isShared = (buffer: object): boolean => {
    used ??= new Set();
    if (used.has(buffer)) shared = (shared ?? new Set()).add(buffer);
    used.add(buffer);
    return shared?.has(buffer) ?? false;
  };

  try {
    let form = begin();
    // That a buffer is shared is only known when it is used again. By then its first view has been written without it.
    if (shared) form = begin();
    const json = textOf(form, limits);
    const text = hasMarks || isMarked(form) ? `{"$":${json}}` : json;
    checkBytes(text, bytes, limits);
    return text;
  } catch (error) {
    tail.length = before;
    throw types.explain?.(error, value, writing) ?? error;
  }
}

/**
 * Copies the fields of an object. It reads each once, and leaves out hidden ones. Keys that are indices come first: V8
 * would make room for all smaller ones.
 */
function copyOf(value: Fields): Fields {
  const copy = {};
  for (const first in value) {
    if (first >= ':' || first < '0') break;
    for (const key of Object.keys(value)) ownProperty(copy, key, value[key]);
    return copy;
  }
  return { ...value };
}

/** Returns true for booleans, and for numbers that JSON can represent: not NaN, the infinities and -0. */
function isJson(value: unknown): boolean {
  return typeof value === 'number' ? value - value === 0 && (value !== 0 || 1 / value > 0) : typeof value === 'boolean';
}

/** Returns the JSON of a form. */
function textOf(form: unknown, limits: Readonly<Limits>): string {
  // Code of others may have given all objects a `toJSON` method. A form has none of its own.
  if ('toJSON' in []) return withoutMethods(form);
  try {
    return JSON.stringify(form);
  } catch {
    // It is longer than a string can be.
    throw checkLimit('maxBytes', Number.POSITIVE_INFINITY, limits);
  }
}

function withoutMethods(form: unknown): string {
  if (typeof form !== 'object' || !form) return JSON.stringify(form);
  if (Array.isArray(form)) return `[${form.map(withoutMethods)}]`;
  return `{${Object.entries(form).map(([key, item]) => `${JSON.stringify(key)}:${withoutMethods(item)}`)}}`;
}

/**
 * Refuses an instance with properties of its own, because they would be lost. Node defines `constructor` on parts of
 * Blobs. The keys of a long string are not listed: their names would take a hundred times its memory.
 */
function refuseNamed(value: object): void {
  const own = value instanceof String ? value.length : 0;
  if (own < 10_000 && Object.keys(value).some((key, at) => at >= own && key !== 'constructor')) {
    throw notCloneable(value, `named properties of ${describe(value)}`);
  }
}
