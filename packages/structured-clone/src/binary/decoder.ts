import { CloneError, limitExceeded, malformed } from '../clone-error.ts';
import { type Limits, resolveLimits } from '../limits.ts';
import type { DecodeOptions } from '../options.ts';
import { ownProperty } from '../own-property.ts';
import { READERS } from '../types/readers.ts';
import type { Source } from '../types/type-handler.ts';
import { TYPE_NAMES } from '../types/type-names.ts';
import * as tags from './tags.ts';
import { TextReader } from './text-reader.ts';

const float64 = new Float64Array(1);
const float64Bytes = new Uint8Array(float64.buffer);
const float32 = new Float32Array(1);
const float32Bytes = new Uint8Array(float32.buffer);

/** The keys of a shape; `safe` where none of them is one that assigning treats specially. */
interface ReadShape {
  readonly keys: readonly string[];
  readonly safe: boolean;
}

/** Stands for an object whose identity number was taken but that could not be made yet. */
const UNFINISHED = Symbol('unfinished');

/**
 * Decodes a sequence of values written by an `Encoder`. Every length, number and reference is checked against what has
 * arrived: malformed bytes throw a `CloneError` and allocate no more than a small multiple of their own length.
 */
export class Decoder implements Source {
  readonly #bytes: Uint8Array;
  readonly #text: TextReader;
  readonly #end: number;
  readonly #limits: Readonly<Limits>;
  readonly #refuse: DecodeOptions['refuse'];
  readonly #revive: DecodeOptions['revive'];
  #position = 0;
  #depth = 0;
  #holes = 0;
  readonly #strings: string[] = [];
  readonly #shapes: ReadShape[] = [];
  #objects: unknown[] = [];

  constructor(bytes: Uint8Array, options: DecodeOptions = {}) {
    this.#bytes = bytes;
    this.#text = new TextReader(bytes);
    this.#end = this.#text.start;
    this.#limits = resolveLimits(options.limits);
    this.#refuse = options.refuse;
    this.#revive = options.revive;
  }

  /** Whether all values have been read. */
  get done(): boolean {
    return this.#position >= this.#end;
  }

  /** Reads the next value. */
  read(): unknown {
    if (this.#objects.length > 0) this.#objects = [];
    this.#holes = 0;
    return this.value();
  }

  /** Checks that nothing is left unread. */
  finish(): void {
    if (this.#position !== this.#end) throw malformed('bytes that no value uses');
    this.#text.finish();
  }

  /** Reads a value inside the value being read; for handlers. */
  value(): unknown {
    const tag = this.#byte();
    if (tag < tags.SHORT_STRING) return tag;
    if (tag < tags.SHAPE) return this.#string(tag - tags.SHORT_STRING);
    if (tag < tags.STRING_AGAIN) return this.#plain({}, tag - tags.SHAPE);
    if (tag < tags.SHORT_ARRAY) return this.#stringAgain(tag - tags.STRING_AGAIN);
    if (tag < tags.UNDEFINED) return this.#array(tag - tags.SHORT_ARRAY);
    switch (tag) {
      case tags.UNDEFINED:
        return undefined;
      case tags.NULL:
        return null;
      case tags.FALSE:
        return false;
      case tags.TRUE:
        return true;
      case tags.INTEGER:
        return this.#unsigned();
      case tags.NEGATIVE_INTEGER:
        return -this.#unsigned();
      case tags.HUNDREDTHS: {
        const zigzag = this.#unsigned();
        return ((zigzag >>> 1) ^ -(zigzag & 1)) / 100;
      }
      case tags.FLOAT32:
        this.#copy(float32Bytes);
        return float32[0];
      case tags.FLOAT64:
        this.#copy(float64Bytes);
        return float64[0];
      case tags.BIGINT:
        return this.#bigint();
      case tags.NEGATIVE_BIGINT:
        return -this.#bigint();
      case tags.LONG_STRING:
        return this.#string(this.#unsigned());
      case tags.LONG_STRING_AGAIN:
        return this.#stringAgain(this.#unsigned());
      case tags.LONG_ARRAY:
        return this.#array(this.#unsigned());
      case tags.LONG_SHAPE:
        return this.#plain({}, this.#unsigned());
      case tags.NEW_SHAPE:
        return this.#plain({}, this.#newShape());
      case tags.DICTIONARY:
        return this.#dictionary({});
      case tags.NULL_PROTOTYPE:
        return this.#nullPrototype();
      case tags.REFERENCE:
        return this.#reference();
      case tags.EXTENSION:
        return this.#extension();
      default:
        return this.#instance(tag);
    }
  }

  integer(maximum: number): number {
    const value = this.value();
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > maximum) {
      throw malformed(`an integer from 0 to ${maximum} was expected`);
    }
    return value;
  }

  count(): number {
    return this.integer(this.#end - this.#position);
  }

  string(): string {
    const value = this.value();
    if (typeof value !== 'string') throw malformed('a string was expected');
    return value;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const length = this.#claimed(this.#unsigned());
    this.#position += length;
    return this.#bytes.slice(this.#position - length, this.#position) as Uint8Array<ArrayBuffer>;
  }

  reserve(): number {
    return this.#objects.push(UNFINISHED) - 1;
  }

  define<T extends object>(reserved: number, object: T): T {
    this.#objects[reserved] = object;
    return object;
  }

  #byte(): number {
    if (this.#position >= this.#end) throw malformed('it is cut off');
    return this.#bytes[this.#position++];
  }

  #unsigned(): number {
    let byte = this.#byte();
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let scale = 128; scale <= 2 ** 49; scale *= 128) {
      byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
    }
    throw malformed('a number is too large');
  }

  /** Checks a number of items against the bytes that are left, each item being at least one. */
  #claimed(count: number): number {
    if (count > this.#end - this.#position) throw malformed('it is shorter than it claims');
    return count;
  }

  #copy(target: Uint8Array): void {
    this.#claimed(target.length);
    for (let index = 0; index < target.length; index++) target[index] = this.#bytes[this.#position++];
  }

  #string(length: number): string {
    if (length === 0) return '';
    const text = this.#text.take(length);
    if (length >= tags.MIN_REMEMBERED && length <= tags.MAX_REMEMBERED) this.#strings.push(text);
    return text;
  }

  #stringAgain(index: number): string {
    if (index >= this.#strings.length) throw malformed('a reference to a string that is not there');
    return this.#strings[index];
  }

  #bigint(): bigint {
    const size = this.#unsigned();
    if (size > this.#limits.maxBigIntBytes) throw limitExceeded('maxBigIntBytes', this.#limits.maxBigIntBytes);
    let hex = '0x0';
    for (let left = this.#claimed(size); left > 0; left--) hex += this.#byte().toString(16).padStart(2, '0');
    return BigInt(hex);
  }

  #array(length: number): unknown[] {
    // A run of holes takes less input than its length; they have a limit of their own.
    this.#claimed(length > this.#limits.maxHoles ? length - this.#limits.maxHoles : 0);
    const array: unknown[] = [];
    this.#objects.push(array);
    this.#enter();
    while (array.length < length) {
      if (this.#position < this.#end && this.#bytes[this.#position] === tags.HOLES) this.#hole(array, length);
      else array.push(this.value());
    }
    this.#depth--;
    return array;
  }

  #hole(array: unknown[], length: number): void {
    this.#position++;
    const run = this.#unsigned();
    this.#holes += run;
    if (this.#holes > this.#limits.maxHoles) throw limitExceeded('maxHoles', this.#limits.maxHoles);
    if (run === 0 || array.length + run > length) throw malformed('a hole reaches beyond its array');
    array.length += run;
  }

  #newShape(): number {
    const keys: string[] = [];
    for (let left = this.#claimed(this.#unsigned()); left > 0; left--) keys.push(this.#key());
    if (keys.length > tags.MAX_SHAPE_KEYS) throw malformed('a shape has too many keys');
    return this.#shapes.push({ keys, safe: !keys.includes('__proto__') }) - 1;
  }

  #key(): string {
    const tag = this.#bytes[this.#position];
    // Only strings, and before anything else is made of what stands here.
    if ((tag >= tags.SHORT_STRING && tag < tags.SHAPE) || (tag >= tags.STRING_AGAIN && tag < tags.SHORT_ARRAY)) {
      return this.string();
    }
    if (tag !== tags.LONG_STRING && tag !== tags.LONG_STRING_AGAIN) throw malformed('a key is not a string');
    return this.string();
  }

  #plain(object: Record<string, unknown>, shapeIndex: number): object {
    const shape = this.#shapes[shapeIndex];
    if (shape === undefined) throw malformed('a reference to a shape that is not there');
    this.#objects.push(object);
    this.#enter();
    const { keys } = shape;
    if (shape.safe) for (let index = 0; index < keys.length; index++) object[keys[index]] = this.value();
    else for (const key of keys) ownProperty(object, key, this.value());
    this.#depth--;
    return object;
  }

  #dictionary(object: object): object {
    this.#objects.push(object);
    this.#enter();
    const keys: string[] = [];
    for (let left = this.#claimed(this.#unsigned()); left > 0; left--) keys.push(this.#key());
    for (const key of keys) {
      if (key === '__proto__') ownProperty(object, key, this.value());
      else (object as Record<string, unknown>)[key] = this.value();
    }
    this.#depth--;
    return object;
  }

  #nullPrototype(): object {
    const tag = this.#byte();
    const object = Object.create(null);
    if (tag >= tags.SHAPE && tag < tags.STRING_AGAIN) return this.#plain(object, tag - tags.SHAPE);
    if (tag === tags.LONG_SHAPE) return this.#plain(object, this.#unsigned());
    if (tag === tags.NEW_SHAPE) return this.#plain(object, this.#newShape());
    if (tag === tags.DICTIONARY) return this.#dictionary(object);
    throw malformed('a prototype of something that is no plain object');
  }

  #reference(): unknown {
    const index = this.#unsigned();
    const object = this.#objects[index];
    if (index >= this.#objects.length || object === UNFINISHED) {
      throw malformed('a reference to an object that is not there');
    }
    return object;
  }

  #extension(): unknown {
    const kind = this.#unsigned();
    if (this.#revive === undefined) throw malformed('an extension that is not known here');
    const reserved = this.reserve();
    this.#enter();
    const value = this.#revive(kind, this.value());
    this.#depth--;
    this.#objects[reserved] = value;
    return value;
  }

  #instance(tag: number): unknown {
    const name = TYPE_NAMES[tag - tags.FIRST_TYPE];
    if (name === undefined) throw malformed(`tag ${tag} is unknown`);
    if (this.#refuse?.includes(name)) throw new CloneError('NOT_CLONEABLE', `${name} is refused here`);
    this.#enter();
    const value = READERS[name](this);
    this.#depth--;
    return value;
  }

  #enter(): void {
    if (++this.#depth > this.#limits.maxDepth) throw limitExceeded('maxDepth', this.#limits.maxDepth);
  }
}
