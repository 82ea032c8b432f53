import { limitExceeded, notCloneable } from '../core/clone-error.ts';
import { checkLimit, countHoles, formatBigInt, resolveLimits } from '../core/limits.ts';
import type { EncodeOptions } from '../core/options.ts';
import { located } from '../core/path.ts';
import { codecOf } from '../types/registered.ts';
import { type BufferSharing, createBufferSharing } from './buffer-sharing.ts';
import type { Encoder } from './codec.ts';
import { nextEpoch } from './epoch.ts';
import { extend } from './extend.ts';
import { MAX_NESTED, MAX_RECURSION, OBJECT_BYTES, weightOf } from './limits.ts';
import { FIRST_BYTES, firstBytes, MAX_FREE, MAX_KEPT_BYTES, TINY_BYTES } from './memory.ts';
import { blockOf, hundredthsOf } from './numbers.ts';
import { BEFORE_FIRST, findShape, guessShape, type Shape } from './shape-cache.ts';
import { findString, isRemembered } from './string-cache.ts';
import * as tags from './tags.ts';
import { createIdentities } from './types/identities.ts';
import { isPlainPrototype } from './types/plain.ts';
import { isDense, takeApart, typeOf } from './types/take-apart.ts';
import { ARRAY, TYPE_NAMES, VIEW } from './types/type-names.ts';
import { writeText } from './write-text.ts';

/** Bytes that any tag with its number takes at most. */
const HEADROOM = 16;

/** Makes an encoder. */
export function createEncoder(options: EncodeOptions = {}): Encoder {
  // State is in variables of one closure: minifiers shorten those, and engines are quick with them.
  const limits = resolveLimits(options.limits);
  const { maxDepth, maxObjects, maxStringLength } = limits;
  const identities = createIdentities();
  let sharing: BufferSharing | undefined;
  let buffer: Uint8Array<ArrayBuffer>;
  let view: DataView;
  let position = 0;
  /** The text of all strings, in order; it is written behind the structure. */
  let text = '';
  let epoch = nextEpoch();
  let strings = 0;
  let shapes = 0;
  let lastShape = BEFORE_FIRST;
  /** Of the value being written. */
  let objects = 0;
  let weight = 0;
  let holes = 0;
  /** How many objects the values before count as. */
  let weightBefore = 0;
  /** How deep the recursion is, and how much deeper the container at hand is nested: what had to wait begins at the top. */
  let recursion = 0;
  let above = 0;
  let own: number | undefined;
  const later: [depth: number, write: (...of: never[]) => void, of: unknown, by: unknown][] = [];
  /** Numbers of the objects whose payloads are being written: they do not exist for the other side yet. */
  const unfinished: number[] = [];

  function write(value: unknown, ownDepth?: number): void {
    // Primitives, which half of all values are, leave nothing behind where they fail.
    const type = typeof value;
    if (value === null || (type !== 'object' && type !== 'function' && type !== 'symbol')) return writeValue(value);
    // A getter of the value being written called for another.
    if (recursion > 0) throw new Error('encoder in use');
    const start = position;
    const textBefore = text;
    own = ownDepth;
    try {
      whole(value);
      if (sharing?.again()) {
        takeBack(start, textBefore);
        whole(value);
      }
      checkLimit('maxBytes', position + text.length, limits);
      weightBefore += weight;
    } catch (error) {
      takeBack(start, textBefore);
      throw located(error, value, TYPE_NAMES);
    } finally {
      clear();
      sharing = undefined;
    }
  }

  function shares(buffer: ArrayBufferLike): boolean {
    sharing ??= createBufferSharing();
    return sharing.add(buffer);
  }

  /** Goes back to what was before the value. Numbers were given out in what is not kept: neither side may use them. */
  function takeBack(start: number, textBefore: string): void {
    position = start;
    text = textBefore;
    forget();
    reserve(1);
    buffer[position++] = tags.RESET;
    later.length = unfinished.length = 0;
    clear();
  }

  function clear(): void {
    identities.clear();
    objects = weight = holes = recursion = above = 0;
  }

  function forget(): void {
    epoch = nextEpoch();
    strings = shapes = 0;
    lastShape = BEFORE_FIRST;
  }

  function finish(): Uint8Array<ArrayBuffer> {
    const length = writeText(text, position, grow);
    const whole = buffer;
    position = weightBefore = 0;
    text = '';
    forget();
    const isKept = whole.length <= MAX_KEPT_BYTES;
    if (!isKept) use(FIRST_BYTES);
    // Where most of it is free, a value was taken back, which nobody is to hold on to.
    return isKept || length < whole.length / MAX_FREE ? firstBytes(whole, length) : whole.subarray(0, length);
  }

  /** Writes a value with all that had to wait in it. */
  function whole(value: unknown): void {
    const first = later.length;
    writeValue(value);
    if (later.length > first) {
      const before = above;
      // The list grows while it is gone through.
      for (let next = first; next < later.length; next++) {
        const [depth, write, of, by] = later[next];
        above = depth - recursion;
        write(of as never, by as never);
      }
      later.length = first;
      above = before;
    }
  }

  /** Leaves what is in a container until the recursion, which is deep already, has come back. */
  function wait<Of, By>(write: (of: Of, by: By) => void, of: Of, by: By): void {
    later.push([recursion + above, write, of, by]);
  }

  function writeValue(value: unknown): void {
    if (position + HEADROOM > buffer.length) reserve(HEADROOM);
    switch (typeof value) {
      case 'string':
        return string(value);
      case 'number':
        return number(value);
      case 'boolean':
        return special(value ? tags.TRUE : tags.FALSE);
      case 'undefined':
        return special(tags.UNDEFINED);
      case 'bigint': {
        const digits = formatBigInt(value, limits); // First, for it may throw.
        special(tags.BIGINT);
        return string(digits);
      }
      case 'symbol':
        throw notCloneable('symbols', value);
      default:
        return value === null ? special(tags.NULL) : object(value as object);
    }
  }

  function object(value: object): void {
    const known = identities.add(value);
    if (known >= 0) {
      if (unfinished.includes(known)) throw notCloneable('cycles through registered classes', value);
      return tag(tags.REFERENCE, known);
    }
    objects++;
    weigh(1);
    if (++recursion + above > maxDepth) throw limitExceeded('maxDepth', limits);
    const prototype = Object.getPrototypeOf(value);
    if (Array.isArray(value)) array(value);
    else if (prototype === Object.prototype || prototype === null) plain(value, prototype !== null);
    else instance(value, prototype);
    recursion--;
  }

  function weigh(more: number): void {
    weight += more;
    if (weight > maxObjects) throw limitExceeded('maxObjects', limits);
  }

  function array(items: unknown[]): void {
    // Without a depth of its own nothing is.
    if (!(recursion + above <= own!) && !isDense(items)) return typed(ARRAY, items);
    const block = blockOf(items);
    if (block) {
      special(tags.NUMBERS);
      return record(block, VIEW);
    }
    tag(tags.ARRAY, items.length);
    if (recursion > MAX_NESTED) wait(all, items, 0);
    else all(items);
  }

  function all(values: readonly unknown[]): void {
    const { length } = values;
    for (let index = 0; index < length; index++) writeValue(values[index]);
  }

  function plain(value: object, hasPrototype: boolean): void {
    const shape = guessShape(lastShape, value, hasPrototype) ?? findShape(lastShape, Object.keys(value), hasPrototype);
    head(shape);
    if (recursion > MAX_NESTED) wait(values, value, shape);
    else values(value, shape);
  }

  function values(value: object, { keys }: Shape): void {
    let next = 0;
    // Own keys come first and in this very order; engines make this loop faster than one over the list of keys.
    for (const key in value) {
      if (key === keys[next]) {
        next++;
        writeValue((value as Record<string, unknown>)[key]);
      }
    }
    if (next < keys.length) throw new Error('object changed meanwhile');
  }

  /** Writes the number of a shape, and its keys where it is new. */
  function head(shape: Shape): void {
    lastShape = shape;
    if (shape.epoch === epoch) return tag(tags.OBJECT, shape.number);
    shape.epoch = epoch;
    shape.number = shapes++;
    tag(tags.OBJECT, shape.number);
    const { keys } = shape;
    unsigned(keys.length * 2 + (shape.hasPrototype ? 0 : tags.NULL_PROTOTYPE));
    for (const key of keys) {
      if (position + HEADROOM > buffer.length) reserve(HEADROOM);
      checkLimit('maxStringLength', key.length, limits);
      unsigned(key.length);
    }
    text += shape.text;
  }

  function instance(value: object, prototype: object): void {
    const codec = codecOf(prototype);
    const type = codec ? -1 : typeOf(value, prototype);
    if (type >= 0) return typed(type, value);
    if (!codec && isPlainPrototype(prototype)) return plain(value, true);
    const { kind, payload } = extend(value, codec, options);
    if (recursion > MAX_RECURSION) throw limitExceeded('maxDepth', limits);
    special(tags.EXTENSION);
    unfinished.push(objects - 1);
    writeValue(kind);
    whole(payload);
    unfinished.pop();
  }

  function typed(type: number, value: object): void {
    weigh(weightOf(type) - 1);
    tag(tags.SPECIAL, tags.FIRST_TYPE + type);
    if (type >= VIEW) record(value, type);
    else if (recursion > MAX_NESTED) wait(collection, value, type);
    else collection(value, type);
  }

  function collection(value: object, type: number): void {
    const parts = takeApart(type, value, shares, options);
    if (type === ARRAY) {
      holes += countHoles((value as unknown[]).length, parts.length);
      checkLimit('maxHoles', holes, limits);
    }
    unsigned(parts.length);
    all(parts);
  }

  function record(value: object, type: number): void {
    for (const part of takeApart(type, value, shares, options)) {
      if (part instanceof Uint8Array) bytes(part);
      else writeValue(part);
    }
  }

  function bytes(value: Uint8Array): void {
    reserve(value.length + HEADROOM);
    tag(tags.INTEGER, value.length);
    buffer.set(value, position);
    position += value.length;
  }

  function string(value: string): void {
    const { length } = value;
    if (length > maxStringLength) throw limitExceeded('maxStringLength', limits);
    if (isRemembered(length)) {
      const known = findString(value, epoch, strings);
      if (known >= 0) return tag(tags.STRING_AGAIN, known);
      strings++;
    } else if (length > 0) {
      checkLimit('maxBytes', length + text.length, limits);
    }
    tag(tags.STRING, length);
    text += value;
  }

  function number(value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
      return value < 0 ? tag(tags.NEGATIVE, -value) : tag(tags.INTEGER, value);
    }
    const hundredths = hundredthsOf(value);
    if (hundredths !== 0) {
      special(tags.HUNDREDTHS);
      return unsigned(((hundredths << 1) ^ (hundredths >> 31)) >>> 0);
    }
    special(tags.FLOAT);
    view.setFloat64(position, value, true);
    position += 8;
  }

  function special(number: number): void {
    buffer[position++] = tags.FIRST_SPECIAL | number;
  }

  /** Writes a first byte, and the rest of the number where it does not fit there. */
  function tag(kind: number, value: number): void {
    if (value < tags.LONG) buffer[position++] = (kind << 5) | value;
    else {
      buffer[position++] = (kind << 5) | tags.LONG;
      unsigned(value - tags.LONG);
    }
  }

  /** Writes a non-negative integer: seven bits a byte, the lowest first. */
  function unsigned(value: number): void {
    let rest = value;
    while (rest > 127) {
      buffer[position++] = (rest & 127) | 128;
      rest = rest < 0x8000_0000 ? rest >> 7 : Math.floor(rest / 128);
    }
    buffer[position++] = rest;
  }

  /** Makes room before the memory is taken that a limit forbids; text, which is kept apart, is checked at the end. */
  function reserve(size: number): void {
    checkLimit('maxBytes', position + size - HEADROOM, limits);
    grow(size);
  }

  function grow(size: number): Uint8Array<ArrayBuffer> {
    if (position + size > buffer.length) {
      // With room for what comes behind large bytes, which else would be copied once more for it.
      const written = buffer.subarray(0, position);
      use(Math.max(buffer.length * 2, position + size + TINY_BYTES));
      buffer.set(written);
    }
    return buffer;
  }

  /** Takes a new buffer of that length. */
  function use(length: number): void {
    buffer = new Uint8Array(length);
    view = new DataView(buffer.buffer);
  }

  use(FIRST_BYTES);
  return {
    get size() {
      return position + text.length;
    },
    get cost() {
      return position + text.length + weightBefore * OBJECT_BYTES;
    },
    write,
    finish,
  };
}
