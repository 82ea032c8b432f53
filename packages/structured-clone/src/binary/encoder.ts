import { limitExceeded, located, notCloneable } from '../clone-error.ts';
import { formatBigInt, resolveLimits } from '../limits.ts';
import type { EncodeOptions } from '../options.ts';
import { createBufferSharing } from '../types/buffer-sharing.ts';
import { createIdentities } from '../types/identities.ts';
import { describe, isPlainPrototype } from '../types/plain.ts';
import type { Sink } from '../types/type-handler.ts';
import { TYPE_NAMES } from '../types/type-names.ts';
import { typeOf, WRITERS } from '../types/writers.ts';
import { createShapeTable } from './shape-table.ts';
import { createStringTable } from './string-table.ts';
import * as tags from './tags.ts';
import { writeText } from './write-text.ts';

/**
 * Encodes a sequence of values into one run of bytes. Shapes and short strings are shared by the whole sequence; the
 * identity of objects is kept within one value, so that no value can change what another arrives as.
 */
export interface Encoder {
  /** Bytes written so far, text that is not ASCII counted low. */
  readonly size: number;
  /**
   * Appends one value. Where it throws, nothing of the value is left behind and the encoder can go on.
   * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
   */
  write(value: unknown): void;
  /** Returns the encoding of all values written, in memory of its own, and starts over. */
  finish(): Uint8Array<ArrayBuffer>;
}

/** Bytes that any tag with its number takes at most. */
const HEADROOM = 16;
const FIRST_BYTES = 512;
/** Buffers past this size are handed out instead of copied, and not kept for the next encoding. */
const MAX_KEPT_BYTES = 65_536;

const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

/** Makes an encoder. Its state is in variables of one closure: minifiers shorten those, and engines are quick with them. */
export function createEncoder(options: EncodeOptions = {}): Encoder {
  const limits = resolveLimits(options.limits);
  const strings = createStringTable();
  const shapes = createShapeTable();
  const identities = createIdentities();
  const sharing = createBufferSharing();
  let buffer = new Uint8Array(FIRST_BYTES);
  let position = 0;
  /** The text of all strings, in order; it is written behind the structure. */
  let text = '';
  let shapeCount = 0;
  let depth = 0;
  let holes = 0;

  /** What the handlers of types write to. */
  const sink: Sink = {
    errorStacks: !!options.errorStacks,
    value: writeValue,
    bytes(bytes) {
      reserve(bytes.length + HEADROOM);
      unsigned(bytes.length);
      buffer.set(bytes, position);
      position += bytes.length;
    },
    sharesBuffer: (shared) => sharing.add(shared),
  };

  function write(value: unknown): void {
    // Nothing of a number can fail, and half of all values are one.
    if (typeof value === 'number') return writeValue(value);
    // A getter of the value being written called for another.
    if (depth > 0) throw new Error('encoder in use');
    const start = position;
    const textBefore = text;
    try {
      writeValue(value);
      if (position + text.length > limits.maxBytes) throw limitExceeded('maxBytes', limits);
    } catch (error) {
      position = start;
      text = textBefore;
      depth = 0;
      // Numbers were given out in what is not kept: neither side may use them.
      reset();
      reserve(1);
      buffer[position++] = tags.RESET;
      if (!sharing.found(error)) throw located(error, value);
      clear();
      return write(value);
    } finally {
      clear();
      sharing.clear();
    }
  }

  function clear(): void {
    identities.clear();
    holes = 0;
  }

  function reset(): void {
    strings.clear();
    shapes.clear();
    shapeCount = 0;
  }

  function finish(): Uint8Array<ArrayBuffer> {
    const end = position;
    buffer = grown(buffer, end, text.length * 3 + HEADROOM);
    const length = writeText(text, buffer, end);
    const whole = buffer;
    position = 0;
    text = '';
    reset();
    if (whole.length <= MAX_KEPT_BYTES) return whole.slice(0, length);
    buffer = new Uint8Array(FIRST_BYTES);
    return whole.subarray(0, length);
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
      case 'bigint':
        return bigint(value);
      case 'symbol':
        throw notCloneable('symbols', value);
      default:
        return value === null ? special(tags.NULL) : object(value as object);
    }
  }

  function object(value: object): void {
    const known = identities.add(value);
    if (known >= 0) return tag(tags.REFERENCE, known);
    if (++depth > limits.maxDepth) throw limitExceeded('maxDepth', limits);
    if (Array.isArray(value)) array(value);
    else {
      const prototype = Object.getPrototypeOf(value);
      if (prototype === Object.prototype || prototype === null) plain(value, prototype !== null);
      else instance(value, prototype);
    }
    depth--;
  }

  function array(items: unknown[]): void {
    const { length } = items;
    tag(tags.ARRAY, length);
    for (let index = 0; index < length; index++) {
      const item = items[index];
      if (item === undefined && !(index in items)) index += hole(items, index) - 1;
      else writeValue(item);
    }
  }

  /** Writes a run of holes and returns its length. */
  function hole(items: unknown[], from: number): number {
    let to = from;
    for (; to < items.length && !(to in items); to++) {
      if (++holes > limits.maxHoles) throw limitExceeded('maxHoles', limits);
    }
    reserve(HEADROOM);
    special(tags.HOLES);
    unsigned(to - from);
    return to - from;
  }

  function plain(value: object, hasPrototype: boolean): void {
    const fields = value as Record<string, unknown>;
    const guessed = shapes.guess(value, hasPrototype);
    if (guessed >= 0) {
      tag(tags.OBJECT, guessed);
      // The guess compared the keys in this very order; engines make this loop faster than one over an array of keys.
      for (const key in value) writeValue(fields[key]);
      return;
    }
    const keys = Object.keys(value);
    const shape = shapes.find(keys, hasPrototype);
    tag(tags.OBJECT, shape);
    if (shape === shapeCount) {
      shapeCount++;
      unsigned(keys.length * 2 + (hasPrototype ? 0 : tags.NULL_PROTOTYPE));
      for (const key of keys) writeValue(key);
    }
    for (const key of keys) writeValue(fields[key]);
  }

  function instance(value: object, prototype: object): void {
    const type = typeOf(value);
    if (type !== undefined) {
      special(tags.FIRST_TYPE + TYPE_NAMES.indexOf(type));
      WRITERS[type](value as never, sink);
    } else if (isPlainPrototype(prototype)) plain(value, true);
    else {
      const extension = options.extend?.(value);
      if (extension === undefined) throw notCloneable(describe(value), value);
      special(tags.EXTENSION);
      unsigned(extension.kind);
      writeValue(extension.payload);
    }
  }

  function string(value: string): void {
    const known = strings.find(value);
    if (known >= 0) return tag(tags.STRING_AGAIN, known);
    tag(tags.STRING, value.length);
    text += value;
  }

  function number(value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
      return value < 0 ? tag(tags.NEGATIVE, -value) : tag(tags.INTEGER, value);
    }
    // Prices, scores and percentages: only where dividing gives back the very same number.
    const hundredths = Math.round(value * 100);
    if (hundredths !== 0 && hundredths / 100 === value && Math.abs(hundredths) < 0x4000_0000) {
      special(tags.HUNDREDTHS);
      return unsigned(((hundredths << 1) ^ (hundredths >> 31)) >>> 0);
    }
    float[0] = value;
    special(tags.FLOAT);
    for (const byte of floatBytes) buffer[position++] = byte;
  }

  function bigint(value: bigint): void {
    const digits = formatBigInt(value, limits);
    special(tags.BIGINT);
    string(digits);
  }

  function special(number: number): void {
    tag(tags.SPECIAL, number);
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
    for (; value > 127; value = Math.floor(value / 128)) buffer[position++] = (value % 128) | 128;
    buffer[position++] = value;
  }

  /** Makes room before the memory is taken that a limit forbids; text, which is kept apart, is checked at the end. */
  function reserve(size: number): void {
    if (position + size > limits.maxBytes + HEADROOM) throw limitExceeded('maxBytes', limits);
    buffer = grown(buffer, position, size);
  }

  return {
    get size() {
      return position + text.length;
    },
    write,
    finish,
  };
}

/** Returns the buffer, or a larger one with the same first bytes. */
function grown(bytes: Uint8Array<ArrayBuffer>, used: number, size: number): Uint8Array<ArrayBuffer> {
  if (used + size <= bytes.length) return bytes;
  // With room for what comes behind large bytes, which else would be copied once more for it.
  const larger = new Uint8Array(Math.max(bytes.length * 2, used + size + 64));
  larger.set(bytes.subarray(0, used));
  return larger;
}
