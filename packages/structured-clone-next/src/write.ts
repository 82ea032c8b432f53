import { describe, notCloneable } from './clone-error.ts';
import { Counts, checkBytes, checkLimit, type Limits } from './limits.ts';
import { isErrorName } from './types/errors.ts';
import { ownProperty, type Types } from './types/types.ts';

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
  readonly types: Pick<Types, 'take' | 'weigh' | 'encode' | 'explain'>;
  readonly limits: Readonly<Limits>;
  /** Receives the bytes of the value, in order. */
  readonly tail: Uint8Array[];
  /** Encodes bytes into the text. The tail is then not used. */
  readonly base64?: ((bytes: Uint8Array) => string) | undefined;
  readonly bodies?: Bodies | undefined;
  /** True to include the stacks of errors. */
  readonly stacks?: boolean | undefined;
  /**
   * Asked for functions and for instances of all classes before the types are. Returns what to write for a value that is
   * passed by reference; undefined if it is data.
   */
  readonly refer?: ((value: object) => Extension | undefined) | undefined;
  /** As `refer`, but asked only for what would be refused. */
  readonly extend?: ((value: object) => Extension | undefined) | undefined;
  /** The name of the value in paths. @default 'value' */
  readonly root?: string | undefined;
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

/** As `write`, but the bytes in the tail are still in the memory of the value. */
export function writeShared(value: unknown, writing: Writing): string {
  const { limits, tail, types } = writing;
  const before = tail.length;
  try {
    let writer = new Writer(writing);
    let form = writer.of(value);
    // That a buffer is shared is only known when it is used again. By then its first view has been written without it.
    if (writer.shared) {
      tail.length = before;
      writer = new Writer(writing, writer.shared);
      form = writer.of(value);
    }
    const text = writer.isMarked || isMarked(form) ? `{"$":${say(form, limits)}}` : say(form, limits);
    checkBytes(text, writer.bytes, limits);
    return text;
  } catch (error) {
    tail.length = before;
    throw types.explain?.(error, value, writing) ?? error;
  }
}

/** Returns true for parsed JSON that holds marks. */
export function isMarked(tree: unknown): tree is { $: unknown } {
  return typeof tree === 'object' && tree !== null && Object.hasOwn(tree, '$') && !Array.isArray(tree);
}

/** Returns the JSON of a form. */
function say(form: unknown, limits: Readonly<Limits>): string {
  // Code of others may have given all objects a `toJSON` method. A form has none of its own.
  if (typeof form === 'object' && form && ([] as { toJSON?: unknown }).toJSON) {
    const items = Object.entries(form).map(([key, item]) => {
      return Array.isArray(form) ? say(item, limits) : `${JSON.stringify(key)}:${say(item, limits)}`;
    });
    return Array.isArray(form) ? `[${items}]` : `{${items}}`;
  }
  try {
    return JSON.stringify(form);
  } catch {
    // It is longer than a string can be.
    throw checkLimit('maxBytes', Number.POSITIVE_INFINITY, limits);
  }
}

type Fields = Record<string, unknown>;

/**
 * Builds the form of one value, in which marks stand for what JSON does not have. The form is a copy of all objects: so
 * each property is read once, and what was checked is what is sent.
 */
export class Writer extends Counts {
  readonly writing: Writing;
  /** True once the form holds a mark. */
  isMarked = false;
  /** The number of bytes that the value has added to the tail. */
  bytes = 0;
  /** The first object. A set takes longer to make than most values that are a single object take to write. */
  #first: object | undefined;
  /** All objects of the value, in the order of their numbers. Numbers are worked out when an object occurs again. */
  #seen: Set<object> | undefined;
  #numbers: Map<object, number> | undefined;
  /** Objects that are being taken apart and whose parts may not refer back to them. */
  readonly #unfinished: object[] = [];
  #used: Set<ArrayBufferLike> | undefined;
  /** The buffers that several objects use, as far as it is known. */
  shared: Set<ArrayBufferLike> | undefined;

  constructor(writing: Writing, shared?: Set<ArrayBufferLike>) {
    super(writing.limits);
    this.writing = writing;
    this.shared = shared;
  }

  /** Returns the form of a value. */
  of(value: unknown): unknown {
    switch (typeof value) {
      case 'boolean':
      case 'string':
        return value;
      case 'number':
        if (value - value === 0 && (value !== 0 || 1 / value > 0)) return value;
        return this.#mark('$number', value === 0 ? '-0' : `${value}`);
      case 'undefined':
        return this.#mark('$undefined', 0);
      case 'bigint': {
        const digits = `${value}`;
        this.checkDigits(digits);
        return this.#mark('$bigint', digits);
      }
      case 'symbol':
        throw notCloneable(value, 'symbols');
      default:
        return value === null ? value : this.#object(value as object);
    }
  }

  /** Returns the form of bytes, which stand behind the text. */
  #bytes(bytes: Uint8Array): unknown {
    const { tail, base64 } = this.writing;
    checkLimit('maxBytes', bytes.length, this.limits);
    if (base64) return { $bytes: base64(bytes) };
    this.bytes += bytes.length;
    tail.push(bytes);
    return { $bytes: bytes.length };
  }

  /** Records one more use of a buffer. Returns true if the whole buffer must be written. */
  shares(buffer: ArrayBufferLike): boolean {
    this.#used ??= new Set();
    if (this.#used.has(buffer)) this.shared = (this.shared ?? new Set()).add(buffer);
    this.#used.add(buffer);
    return this.shared?.has(buffer) ?? false;
  }

  #mark(name: string, content: unknown): unknown {
    this.isMarked = true;
    return { [name]: content };
  }

  #object(value: object): unknown {
    if (this.#first) {
      this.#seen ??= new Set<object>().add(this.#first);
      const { size } = this.#seen;
      if (this.#seen.add(value).size === size) return this.#reference(value, this.#seen);
      this.#numbers?.set(value, size);
    } else this.#first = value;
    this.depth++;
    this.count(1);
    const prototype = Object.getPrototypeOf(value);
    const form =
      prototype === Object.prototype
        ? this.#fields(value)
        : prototype === Array.prototype && Array.isArray(value)
          ? this.#list(value)
          : this.#instance(value, prototype);
    this.depth--;
    return form;
  }

  #reference(value: object, seen: Set<object>): unknown {
    if (this.#unfinished.includes(value)) throw notCloneable(value, 'cycles through registered classes');
    this.#numbers ??= new Map([...seen].map((known, number) => [known, number]));
    return this.#mark('$reference', this.#numbers.get(value));
  }

  /** Returns the form of a plain object, which is a mark of its own if it looks like a mark. */
  #fields(value: object, mark?: string): unknown {
    let form = { ...value } as Fields;
    const keys = Object.keys(form);
    // Keys that are indices come first.
    if (keys[0] < ':') {
      if (keys[0] >= '0') {
        const fields = form;
        form = {};
        for (const key of keys) ownProperty(form, key, fields[key]);
      } else if (keys[0][0] === '$' && keys.length === 1) mark ??= '$';
    }
    this.#fill(form, Object.values(form), keys);
    return mark ? this.#mark(mark, form) : form;
  }

  #list(value: unknown[]): unknown {
    const form = Object.values(value);
    // There may be as many holes as named properties.
    if (form.length !== value.length || !form.every((_, at) => Object.hasOwn(value, at))) {
      return this.#sparse(value, form);
    }
    this.#fill(form, form);
    return form;
  }

  /** Replaces those of the items in a form that JSON does not have. */
  #fill(form: unknown[] | Fields, items: unknown[], keys?: string[]): void {
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      // Calls take longer than these looks.
      if (
        typeof item === 'number'
          ? item - item !== 0 || (item === 0 && 1 / item < 0)
          : typeof item !== 'string' && typeof item !== 'boolean' && item !== null
      ) {
        (form as Fields)[keys ? keys[at] : at] = this.of(item);
      }
    }
  }

  /** Returns the form of an array that has holes or named properties. */
  #sparse(value: unknown[], items: unknown[]): unknown {
    const parts: unknown[] = [value.length];
    this.countHoles(value.length - items.length);
    const keys = Object.keys(value);
    for (let at = 0; at < keys.length; at++) parts.push(keys[at], this.of(items[at]));
    return this.#mark('$Array', parts);
  }

  #instance(value: object, prototype: object | null): unknown {
    const isList = Array.isArray(value);
    if (prototype === null) return isList ? this.#list(value) : this.#fields(value, '$null');
    const { writing } = this;
    let its = writing.refer?.(value) ?? writing.types.encode?.(value);
    if (!its && typeof value !== 'function') {
      if (isList) return this.#list(value);
      const found = this.#typed(value, prototype);
      if (found) return found;
      // A plain object of another realm.
      if (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')) {
        return this.#fields(value);
      }
    }
    its ??= writing.extend?.(value);
    if (!its) throw notCloneable(value);
    this.#unfinished.push(value);
    const parts = Array.from(its.parts, this.of, this);
    this.#unfinished.pop();
    return this.#mark(`$${its.name}`, parts);
  }

  /**
   * Returns the form of an instance of a supported class. Built-in classes name themselves, in every realm. But any class
   * can give itself any name, so that class must also be among those that the instance inherits from. An error has the
   * class of its nearest ancestor that is supported, whatever it calls itself.
   */
  #typed(value: object, prototype: object): unknown {
    const { types } = this.writing;
    // The classes of `Temporal` share one mark, so their tags have two parts.
    const [type, tag = type] = Object.prototype.toString.call(value).slice(8, -1).split('.');
    for (let at = prototype; at; at = Object.getPrototypeOf(at)) {
      const own = Object.hasOwn(at, 'constructor') && at.constructor?.name;
      if (!own || (own !== tag && !isErrorName(own))) continue;
      const name = own === tag ? type : own;
      const isError = name.endsWith('Error');
      let parts: unknown[] | undefined;
      try {
        parts = types.take(name, value, this);
      } catch (error) {
        // The platform throws one if the value only looks like an instance, as a Proxy does, or can no longer be used.
        throw error instanceof TypeError && !isError ? notCloneable(value) : error;
      }
      if (!parts) continue;
      if (!isErrorName(name) && !ArrayBuffer.isView(value)) refuseNamed(value);
      this.count(types.weigh(name) - 1);
      for (let at = 0; at < parts.length; at++) {
        const part = parts[at];
        // Other parts of bytes are values.
        const isBytes = part instanceof Uint8Array && !isError && name !== 'Map' && name !== 'Set';
        parts[at] = isBytes ? this.#bytes(part) : this.of(part);
      }
      return this.#mark(`$${name}`, parts);
    }
    return undefined;
  }
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
