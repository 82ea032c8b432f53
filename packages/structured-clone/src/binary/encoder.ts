import { type CloneError, limitExceeded, located, notCloneable } from '../clone-error.ts';
import { type Limits, resolveLimits } from '../limits.ts';
import type { EncodeOptions } from '../options.ts';
import { pathTo } from '../path.ts';
import { BufferSharing } from '../types/buffer-sharing.ts';
import { lengthOfHole } from '../types/holes.ts';
import { Identities } from '../types/identities.ts';
import { describe, isPlainPrototype } from '../types/plain.ts';
import type { Sink } from '../types/type-handler.ts';
import { TYPE_NAMES } from '../types/type-names.ts';
import { writerOf } from '../types/writers.ts';
import { ShapeTable } from './shape-table.ts';
import { StringTable } from './string-table.ts';
import * as tags from './tags.ts';
import { type TextMark, TextWriter } from './text-writer.ts';

const TYPE_TAGS = new Map(TYPE_NAMES.map((name, index) => [name, tags.FIRST_TYPE + index]));
/** Bytes that any tag with its number takes at most. */
const HEADROOM = 16;
/** Buffers past this size are handed out instead of copied, and not kept for the next encoding. */
const MAX_KEPT_BYTES = 65_536;

const float64 = new Float64Array(1);
const float64Bytes = new Uint8Array(float64.buffer);
const float32 = new Float32Array(1);
const float32Bytes = new Uint8Array(float32.buffer);

/**
 * Encodes a sequence of values into one run of bytes. Shapes and short strings are shared by the whole sequence; the
 * identity of objects is kept within one value, so that no value can change what another arrives as.
 */
export class Encoder implements Sink {
  readonly errorStacks: boolean;
  readonly #extend: EncodeOptions['extend'];
  readonly #limits: Readonly<Limits>;
  #buffer = new Uint8Array(512);
  #position = 0;
  #depth = 0;
  #holes = 0;
  readonly #text = new TextWriter();
  readonly #strings = new StringTable();
  readonly #shapes = new ShapeTable();
  readonly #identities = new Identities();
  readonly #sharing = new BufferSharing();

  constructor(options: EncodeOptions = {}) {
    this.errorStacks = options.errorStacks ?? false;
    this.#extend = options.extend;
    this.#limits = resolveLimits(options.limits);
  }

  /** Bytes written so far, text that is not ASCII counted low. */
  get size(): number {
    return this.#position + this.#text.size;
  }

  /** Appends one value. Where it throws, nothing of the value is left behind and the encoder can go on. */
  write(value: unknown): this {
    // Nothing of these can fail, so there is nothing to prepare for.
    if (typeof value === 'number' || typeof value === 'string') {
      this.value(value);
      return this;
    }
    if (this.#depth > 0) throw new Error('a value that is being encoded used the encoder it is being encoded by');
    const position = this.#position;
    const text = this.#text.mark();
    const strings = this.#strings.mark();
    const shapes = this.#shapes.mark();
    try {
      try {
        this.value(value);
        if (this.size > this.#limits.maxBytes) throw this.#tooLarge();
      } catch (error) {
        if (!this.#sharing.found(error)) throw error;
        this.#rollback(position, text, strings, shapes);
        this.value(value);
      }
    } catch (error) {
      this.#rollback(position, text, strings, shapes);
      throw located(error, (subject) => pathTo(value, subject));
    } finally {
      this.#identities.clear();
      this.#sharing.clear();
      this.#holes = 0;
    }
    return this;
  }

  /** Returns the encoding of all values written, in memory of its own, and starts over. */
  finish(): Uint8Array<ArrayBuffer> {
    this.#grow(this.#text.maxBytes);
    const end = this.#text.write(this.#buffer, this.#position);
    const buffer = this.#buffer;
    if (buffer.length <= MAX_KEPT_BYTES) {
      this.clear();
      return buffer.slice(0, end);
    }
    this.#buffer = new Uint8Array(512);
    this.clear();
    return buffer.subarray(0, end);
  }

  /** Forgets all that was written. */
  clear(): void {
    this.#position = 0;
    this.#text.clear();
    this.#strings.clear();
    this.#shapes.clear();
  }

  /** Writes a value inside the value being written; for handlers. */
  value(value: unknown): void {
    if (this.#position + HEADROOM > this.#buffer.length) this.#reserve(HEADROOM);
    switch (typeof value) {
      case 'string':
        return this.#string(value);
      case 'number':
        return this.#number(value);
      case 'object':
        return value === null ? this.#byte(tags.NULL) : this.#object(value);
      case 'boolean':
        return this.#byte(value ? tags.TRUE : tags.FALSE);
      case 'undefined':
        return this.#byte(tags.UNDEFINED);
      case 'bigint':
        return this.#bigint(value);
      case 'function':
        return this.#function(value);
      case 'symbol':
        throw notCloneable('symbols', value);
    }
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length + HEADROOM);
    this.#unsigned(bytes.length);
    this.#buffer.set(bytes, this.#position);
    this.#position += bytes.length;
  }

  sharesBuffer(buffer: ArrayBufferLike): boolean {
    return this.#sharing.add(buffer);
  }

  #object(object: object): void {
    const known = this.#identities.add(object);
    if (known >= 0) return this.#tagged(tags.REFERENCE, known);
    if (++this.#depth > this.#limits.maxDepth) throw this.#tooDeep();
    if (Array.isArray(object)) this.#array(object);
    else {
      const prototype = Object.getPrototypeOf(object);
      if (prototype === Object.prototype) this.#plain(object);
      else if (prototype === null) {
        this.#byte(tags.NULL_PROTOTYPE);
        this.#plain(object);
      } else this.#instance(object, prototype);
    }
    this.#depth--;
  }

  #tooLarge(): CloneError {
    return limitExceeded('maxBytes', this.#limits.maxBytes);
  }

  #tooDeep(): CloneError {
    return limitExceeded('maxDepth', this.#limits.maxDepth);
  }

  #array(array: unknown[]): void {
    const { length } = array;
    if (length < 16) this.#byte(tags.SHORT_ARRAY | length);
    else this.#tagged(tags.LONG_ARRAY, length);
    for (let index = 0; index < length; index++) {
      const item = array[index];
      if (item === undefined && !(index in array)) index = this.#hole(array, index);
      else this.value(item);
    }
  }

  /** Writes a run of holes and returns the index of its last one. */
  #hole(array: unknown[], index: number): number {
    const run = lengthOfHole(array, index);
    this.#holes += run;
    if (this.#holes > this.#limits.maxHoles) throw limitExceeded('maxHoles', this.#limits.maxHoles);
    this.#reserve(HEADROOM);
    this.#tagged(tags.HOLES, run);
    return index + run - 1;
  }

  #plain(object: object): void {
    const values = object as Record<string, unknown>;
    const guessed = this.#shapes.guess(object);
    if (guessed !== undefined) {
      this.#shape(guessed.index);
      // The guess compared the keys in this very order; engines make this loop faster than one over an array of keys.
      for (const key in object) this.value(values[key]);
      return;
    }
    const keys = Object.keys(object);
    const shape = this.#shapes.find(keys);
    if (shape !== undefined) this.#shape(shape.index);
    else {
      const isShape = this.#shapes.add(keys);
      this.#tagged(isShape ? tags.NEW_SHAPE : tags.DICTIONARY, keys.length);
      for (const key of keys) {
        this.#reserve(HEADROOM);
        this.#string(key);
      }
    }
    for (const key of keys) this.value(values[key]);
  }

  #shape(index: number): void {
    if (index < 32) this.#byte(tags.SHAPE | index);
    else this.#tagged(tags.LONG_SHAPE, index);
  }

  #instance(object: object, prototype: object): void {
    const writer = writerOf(object, this);
    if (writer !== undefined) {
      this.#byte(TYPE_TAGS.get(writer.name)!);
      writer.write(object, this);
    } else if (isPlainPrototype(prototype)) this.#plain(object);
    else this.#extension(object);
  }

  #function(value: object): void {
    const known = this.#identities.add(value);
    if (known >= 0) this.#tagged(tags.REFERENCE, known);
    else this.#extension(value);
  }

  #extension(value: object): void {
    const extension = this.#extend?.(value);
    if (extension === undefined) throw notCloneable(describe(value), value);
    this.#tagged(tags.EXTENSION, extension.kind);
    this.value(extension.payload);
  }

  #string(text: string): void {
    const known = this.#strings.find(text);
    if (known >= 0) {
      if (known < 32) this.#byte(tags.STRING_AGAIN | known);
      else this.#tagged(tags.LONG_STRING_AGAIN, known);
      return;
    }
    const { length } = text;
    if (length < 32) this.#byte(tags.SHORT_STRING | length);
    else this.#tagged(tags.LONG_STRING, length);
    this.#text.add(text);
  }

  #number(value: number): void {
    if (value >= 0 && value < 64 && Number.isInteger(value) && !Object.is(value, -0)) this.#byte(value);
    else if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
      if (value > 0) this.#tagged(tags.INTEGER, value);
      else this.#tagged(tags.NEGATIVE_INTEGER, -value);
    } else this.#fraction(value);
  }

  #fraction(value: number): void {
    // Prices, scores and percentages: the product is only taken where dividing gives back the very same number.
    const hundredths = Math.round(value * 100);
    if (hundredths / 100 === value && Math.abs(hundredths) < 0x4000_0000 && hundredths !== 0) {
      this.#tagged(tags.HUNDREDTHS, ((hundredths << 1) ^ (hundredths >> 31)) >>> 0);
      return;
    }
    float32[0] = value;
    if (Object.is(float32[0], value)) {
      this.#byte(tags.FLOAT32);
      this.#buffer.set(float32Bytes, this.#position);
      this.#position += 4;
      return;
    }
    float64[0] = value;
    this.#byte(tags.FLOAT64);
    this.#buffer.set(float64Bytes, this.#position);
    this.#position += 8;
  }

  #bigint(value: bigint): void {
    const hex = (value < 0n ? -value : value).toString(16);
    const size = (hex.length + 1) >> 1;
    if (size > this.#limits.maxBigIntBytes) throw limitExceeded('maxBigIntBytes', this.#limits.maxBigIntBytes);
    this.#reserve(size + HEADROOM);
    this.#tagged(value < 0n ? tags.NEGATIVE_BIGINT : tags.BIGINT, size);
    const digits = hex.padStart(size * 2, '0');
    for (let at = 0; at < digits.length; at += 2) this.#byte(Number.parseInt(digits.slice(at, at + 2), 16));
  }

  #byte(byte: number): void {
    this.#buffer[this.#position++] = byte;
  }

  #tagged(tag: number, value: number): void {
    this.#buffer[this.#position++] = tag;
    this.#unsigned(value);
  }

  /** Writes a non-negative integer, seven bits a byte, the lowest first. */
  #unsigned(value: number): void {
    while (value > 0x7fff_ffff) {
      this.#buffer[this.#position++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    while (value > 127) {
      this.#buffer[this.#position++] = (value & 127) | 128;
      value >>>= 7;
    }
    this.#buffer[this.#position++] = value;
  }

  #reserve(size: number): void {
    const needed = this.#position + size;
    if (needed <= this.#buffer.length) return;
    // Before the memory is taken; text, which is kept apart until the end, is counted by `write`.
    if (needed > this.#limits.maxBytes + HEADROOM) throw this.#tooLarge();
    this.#grow(size);
  }

  #grow(size: number): void {
    const needed = this.#position + size;
    if (needed <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, needed));
    larger.set(this.#buffer.subarray(0, this.#position));
    this.#buffer = larger;
  }

  #rollback(position: number, text: TextMark, strings: number, shapes: number): void {
    this.#position = position;
    this.#text.rollback(text);
    this.#strings.rollback(strings);
    this.#shapes.rollback(shapes);
    this.#identities.clear();
    this.#depth = this.#holes = 0;
  }
}
