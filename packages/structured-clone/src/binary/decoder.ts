import { CloneError, limitExceeded, malformed } from '../clone-error.ts';
import { parseBigInt, resolveLimits } from '../limits.ts';
import type { DecodeOptions } from '../options.ts';
import { ownProperty } from '../own-property.ts';
import { READERS } from '../types/readers.ts';
import type { Source } from '../types/type-handler.ts';
import { TYPE_NAMES } from '../types/type-names.ts';
import * as tags from './tags.ts';
import { createTextReader } from './text-reader.ts';

/**
 * Decodes a sequence of values, handing over each before the next is read. Every length, number and reference is
 * checked against what has arrived: malformed bytes allocate no more than a small multiple of their own length.
 * @throws {CloneError} where the bytes are not an encoding or pass a limit; and what `each` throws
 */
export type Decoder = (bytes: Uint8Array, each: (value: unknown) => void) => void;

/** The keys of objects that are alike. */
interface Shape {
  keys: readonly string[];
  hasPrototype: boolean;
  /** Whether no key is one that assigning treats specially. */
  safe: boolean;
}

/** Stands for an object whose identity number was taken but that could not be made yet. */
const UNFINISHED = Symbol();
const HOLES = (tags.SPECIAL << 5) | tags.HOLES;

const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

/** Makes a decoder. Its state is in variables of one closure: minifiers shorten those, and engines are quick with them. */
export function createDecoder(options: DecodeOptions = {}): Decoder {
  const limits = resolveLimits(options.limits);
  const text = createTextReader();
  let isBusy = false;
  let bytes: Uint8Array;
  let position = 0;
  /** Where the structure ends. */
  let end = 0;
  let depth = 0;
  let holes = 0;
  /** Strings that a later one may refer to. */
  let strings: string[] = [];
  let shapes: Shape[] = [];
  /** Objects of the value being read, by identity number. */
  let objects: unknown[] = [];

  /** What the handlers of types read from. */
  const source: Source = {
    value,
    integer(maximum) {
      const read = value() as number;
      return Number.isInteger(read) && read >= 0 && read <= maximum ? read : fail('part');
    },
    count: () => source.integer(end - position),
    string() {
      const read = value();
      return typeof read === 'string' ? read : fail('part');
    },
    bytes: () => take(unsigned()).slice() as Uint8Array<ArrayBuffer>,
    reserve: () => objects.push(UNFINISHED) - 1,
    define(reserved, made) {
      objects[reserved] = made;
      return made;
    },
  };

  function decode(encoding: Uint8Array, each: (value: unknown) => void): void {
    // A user's code that is called from here may decode something itself.
    if (isBusy) return createDecoder(options)(encoding, each);
    isBusy = true;
    try {
      bytes = encoding;
      end = text.open(encoding);
      position = depth = 0;
      while (position < end) {
        if (bytes[position] === tags.RESET) {
          position++;
          reset();
        } else {
          if (objects.length > 0) objects = [];
          holes = 0;
          each(value());
        }
      }
      text.finish();
    } finally {
      isBusy = false;
      // What was decoded is not to be kept alive from here.
      bytes = floatBytes;
      reset();
      objects = [];
    }
  }

  function reset(): void {
    strings = [];
    shapes = [];
  }

  function fail(what: string): never {
    throw malformed(what, position);
  }

  function value(): unknown {
    const tag = byte();
    let number = tag & tags.LONG;
    if (number === tags.LONG) number += unsigned();
    switch (tag >> 5) {
      case tags.INTEGER:
        return number;
      case tags.NEGATIVE:
        return -number;
      case tags.STRING:
        return string(number);
      case tags.STRING_AGAIN:
        return number < strings.length ? strings[number] : fail('reference');
      case tags.ARRAY:
        return array(number);
      case tags.OBJECT:
        return object(number);
      case tags.REFERENCE:
        return number < objects.length && objects[number] !== UNFINISHED ? objects[number] : fail('reference');
      default:
        return special(number);
    }
  }

  function special(number: number): unknown {
    switch (number) {
      case tags.UNDEFINED:
        return undefined;
      case tags.NULL:
        return null;
      case tags.FALSE:
      case tags.TRUE:
        return number === tags.TRUE;
      case tags.FLOAT:
        floatBytes.set(take(8));
        return float[0];
      case tags.HUNDREDTHS: {
        const zigzag = unsigned();
        return ((zigzag >>> 1) ^ -(zigzag & 1)) / 100;
      }
      case tags.BIGINT:
        return bigint();
      case tags.EXTENSION:
        return extension();
      default:
        return instance(number);
    }
  }

  function byte(): number {
    return position < end ? bytes[position++] : fail('end');
  }

  /** Reads a non-negative integer: seven bits a byte, the lowest first. */
  function unsigned(): number {
    let result = 0;
    for (let scale = 1; scale < 2 ** 56; scale *= 128) {
      const next = byte();
      result += (next & 127) * scale;
      if (next < 128 && result <= Number.MAX_SAFE_INTEGER) return result;
    }
    return fail('integer');
  }

  /** Checks a number of items against the bytes that are left, each item being at least one. */
  function claimed(count: number): number {
    return count <= end - position ? count : fail('length');
  }

  /** Takes so many bytes, without a copy. */
  function take(length: number): Uint8Array {
    position += claimed(length);
    return bytes.subarray(position - length, position);
  }

  function string(length: number): string {
    const taken = text.take(length);
    if (length >= tags.MIN_REMEMBERED && length <= tags.MAX_REMEMBERED) strings.push(taken);
    return taken;
  }

  function bigint(): bigint {
    // Only a string may follow, so that this cannot be nested in itself.
    const kind = bytes[position] >> 5;
    const isString = kind === tags.STRING || kind === tags.STRING_AGAIN;
    return (isString ? parseBigInt(source.string(), limits) : undefined) ?? fail('bigint');
  }

  function array(length: number): unknown[] {
    // A run of holes takes less input than its length; they have a limit of their own.
    if (length > limits.maxHoles) claimed(length - limits.maxHoles);
    const items: unknown[] = [];
    objects.push(items);
    enter();
    while (items.length < length) {
      if (bytes[position] === HOLES) hole(items, length);
      else items.push(value());
    }
    depth--;
    return items;
  }

  function hole(items: unknown[], length: number): void {
    byte();
    const run = unsigned();
    holes += run;
    if (holes > limits.maxHoles) throw limitExceeded('maxHoles', limits);
    if (run === 0 || items.length + run > length) fail('hole');
    items.length += run;
  }

  function object(number: number): object {
    if (number === shapes.length) shapes.push(newShape());
    const { keys, hasPrototype, safe } = shapes[number] ?? fail('reference');
    const made: Record<string, unknown> = hasPrototype ? {} : Object.create(null);
    objects.push(made);
    enter();
    for (let index = 0; index < keys.length; index++) {
      if (safe) made[keys[index]] = value();
      else ownProperty(made, keys[index], value());
    }
    depth--;
    return made;
  }

  function newShape(): Shape {
    const count = unsigned();
    const keys: string[] = [];
    // What stands where a key should may be anything, also an object whose keys are objects.
    enter();
    for (let left = claimed(Math.floor(count / 2)); left > 0; left--) keys.push(source.string());
    depth--;
    return { keys, hasPrototype: count % 2 !== tags.NULL_PROTOTYPE, safe: !keys.includes('__proto__') };
  }

  function extension(): unknown {
    const kind = unsigned();
    const { revive } = options;
    const reserved = source.reserve();
    enter();
    const payload = value();
    depth--;
    return source.define(reserved, revive ? revive(kind, payload) : fail('extension'));
  }

  function instance(number: number): unknown {
    const name = TYPE_NAMES[number - tags.FIRST_TYPE] ?? fail('tag');
    if (options.refuse?.includes(name)) throw new CloneError('NOT_CLONEABLE', `${name} is not accepted here`);
    enter();
    const made = READERS[name](source);
    depth--;
    return made;
  }

  function enter(): void {
    if (++depth > limits.maxDepth) throw limitExceeded('maxDepth', limits);
  }

  return decode;
}
