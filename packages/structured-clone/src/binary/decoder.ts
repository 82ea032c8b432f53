import { CloneError, limitExceeded, malformed, notAccepted } from '../clone-error.ts';
import { checkLimit, MAX_NESTED, MAX_RECURSION, parseBigInt, resolveLimits } from '../limits.ts';
import type { DecodeOptions } from '../options.ts';
import { revive } from '../revive.ts';
import { fillCollection, makeEmpty, type Parts, putTogether } from '../types/put-together.ts';
import { TYPE_NAMES, VIEW } from '../types/type-names.ts';
import { knownShape, makeObject, newShape, type Shape } from './known-shapes.ts';
import { unblock } from './numbers.ts';
import * as tags from './tags.ts';
import { createTextReader } from './text-reader.ts';

/**
 * Decodes a sequence of values, handing over each before the next is read. Every length, number and reference is
 * checked against what has arrived: malformed bytes allocate no more than a small multiple of their own length.
 * @throws {CloneError} where the bytes are not an encoding or pass a limit; and what `each` throws
 */
export type Decoder = (bytes: Uint8Array, each: (value: unknown) => void) => void;

/** Objects that all values of an encoding may hold beyond what one may: of values that are sent together, few are large. */
const MORE_OBJECTS = 2 ** 18;

const NOTHING = new Uint8Array();
const FEW = 16;
const FIRST_SPECIAL = tags.SPECIAL << 5;

/** Makes a decoder. Its state is in variables of one closure: minifiers shorten those, and engines are quick with them. */
export function createDecoder(options: DecodeOptions = {}): Decoder {
  const limits = resolveLimits(options.limits);
  const { maxDepth, maxObjects } = limits;
  const text = createTextReader();
  let isBusy = false;
  let bytes: Uint8Array;
  /** Made where there are floats. */
  let view: DataView | undefined;
  let position = 0;
  /** Where the structure ends. */
  let end = 0;
  /** Strings that a later one may refer to, and shapes. */
  let strings: unknown[] = [];
  let stringCount = 0;
  let shapes: unknown[] = [];
  let shapeCount = 0;
  /** Objects of the value being read, by identity number; undefined while one cannot be made yet. */
  let objects: unknown[] = [];
  let objectCount = 0;
  /** How many there may be yet in the encoding. */
  let objectsLeft = 0;
  let holes = 0;
  /** Items of all arrays of the encoding. */
  let slots = 0;
  let depth = 0;
  /** The depth at which the recursion began: what is nested deeper in it than `MAX_NESTED` stands in `later`. */
  let base = 0;
  const later: { depth: number; read: () => void }[] = [];

  const parts: Parts = {
    value,
    bytes() {
      const length = value();
      if (length === null) return length;
      if (typeof length !== 'number' || length !== length >>> 0) return fail('length');
      position += claimed(length);
      return bytes.slice(position - length, position) as Uint8Array<ArrayBuffer>;
    },
    holes(count) {
      holes += count;
      checkLimit('maxHoles', holes, limits);
    },
  };

  function decode(encoding: Uint8Array, each: (value: unknown) => void): void {
    // A user's code that is called from here may decode something itself.
    if (isBusy) return createDecoder(options)(encoding, each);
    isBusy = true;
    try {
      bytes = encoding;
      end = text.open(encoding);
      objectsLeft = maxObjects + MORE_OBJECTS;
      position = 0;
      while (position < end) {
        if (bytes[position] === tags.RESET) {
          position++;
          forget();
        } else {
          each(whole());
          clear();
        }
      }
      text.finish();
    } finally {
      // What was decoded is not to be kept alive from here.
      bytes = NOTHING;
      view = undefined;
      forget();
      clear();
      slots = depth = base = 0;
      if (later.length > 0) later.length = 0;
      isBusy = false;
    }
  }

  function forget(): void {
    strings = emptied(strings, stringCount);
    shapes = emptied(shapes, shapeCount);
    stringCount = shapeCount = 0;
  }

  function clear(): void {
    objects = emptied(objects, objectCount);
    objectCount = 0;
    holes = 0;
  }

  function fail(what: string): never {
    throw malformed(what, position);
  }

  /** Reads a value with all that had to wait in it. */
  function whole(): unknown {
    const first = later.length;
    const read = value();
    if (later.length > first) {
      const [depthBefore, baseBefore] = [depth, base];
      // The list grows while it is gone through.
      for (let next = first; next < later.length; next++) {
        const waiting = later[next];
        depth = waiting.depth;
        base = depth - depthBefore + baseBefore;
        waiting.read();
      }
      later.length = first;
      depth = depthBefore;
      base = baseBefore;
    }
    return position <= end ? read : fail('end');
  }

  /** Reads what is in a container: now, or where the recursion is deep already, when it has come back. */
  function contents(read: () => void): void {
    if (depth - base > MAX_NESTED) later.push({ depth, read });
    else read();
  }

  function value(): unknown {
    if (position >= end) fail('end');
    const tag = bytes[position++];
    // The commonest of all.
    if (tag < tags.LONG) return tag;
    if (tag >= FIRST_SPECIAL) return special(tag);
    const number = numberOf(tag);
    switch (tag >> 5) {
      case tags.INTEGER:
        return number;
      case tags.NEGATIVE:
        return -number;
      case tags.STRING:
        return string(number);
      case tags.STRING_AGAIN:
        return strings[number] ?? fail('reference');
      case tags.ARRAY:
        return array(number);
      case tags.OBJECT:
        return object(number);
      default:
        if (objects[number] === undefined) fail('reference');
        return objects[number] === NOTHING ? undefined : objects[number];
    }
  }

  function special(tag: number): unknown {
    switch (tag & tags.LONG) {
      case tags.UNDEFINED:
        return undefined;
      case tags.NULL:
        return null;
      case tags.FALSE:
      case tags.TRUE:
        return tag === (FIRST_SPECIAL | tags.TRUE);
      case tags.FLOAT:
        view ??= new DataView(bytes.buffer, bytes.byteOffset, end);
        position += claimed(8);
        return view.getFloat64(position - 8, true);
      case tags.HUNDREDTHS: {
        const zigzag = unsigned();
        return ((zigzag >>> 1) ^ -(zigzag & 1)) / 100;
      }
      case tags.BIGINT:
        // Only a string may follow, so that this cannot be nested in itself.
        return (bytes[position] >> 6 === tags.STRING >> 1 ? parseBigInt(value(), limits) : undefined) ?? fail('bigint');
      case tags.NUMBERS:
        return record(VIEW, unblock as never);
      case tags.EXTENSION:
        return unfinished(() => revive(value(), whole(), options));
      default:
        return instance(numberOf(tag));
    }
  }

  /** Returns the number in a first byte, and behind it where it did not fit there. */
  function numberOf(tag: number): number {
    const number = tag & tags.LONG;
    return number === tags.LONG ? tags.LONG + unsigned() : number;
  }

  /**
   * Reads a non-negative integer: seven bits a byte, the lowest first. Whether all of it was there is known where the
   * next value begins.
   */
  function unsigned(): number {
    const first = bytes[position++];
    if (first < 128) return first;
    const second = bytes[position++];
    const result = (first & 127) | ((second & 127) << 7);
    return second < 128 ? result : large(result);
  }

  function large(low: number): number {
    let result = low;
    for (let scale = 2 ** 14; scale < 2 ** 56; scale *= 128) {
      const next = bytes[position++];
      result += (next & 127) * scale;
      if (next < 128 && result <= Number.MAX_SAFE_INTEGER) return result;
    }
    return fail('integer');
  }

  /** Checks a number of items against the bytes that are left, each item being at least one. */
  function claimed(count: number): number {
    return count >= 0 && count <= end - position ? count : fail('length');
  }

  function string(length: number): string {
    if (length >= tags.MIN_REMEMBERED && length <= tags.MAX_REMEMBERED) {
      const taken = text.take(length);
      strings[stringCount++] = taken;
      return taken;
    }
    checkLimit('maxStringLength', length, limits);
    return text.take(length);
  }

  /** Gives an object the next identity number. */
  function identify<T>(object: T): T {
    objects[objectCount++] = object;
    if (objectCount > maxObjects || objectsLeft-- < 1) throw limitExceeded('maxObjects', limits);
    return object;
  }

  /** Goes one container deeper. Every such call stands before one of `depth--`. */
  function enter(): void {
    if (++depth > maxDepth) throw limitExceeded('maxDepth', limits);
  }

  function array(length: number): unknown[] {
    // Every item of every array is at least a byte.
    slots += length;
    if (slots > end) fail('length');
    const array = identify<unknown[]>(new Array(length));
    enter();
    if (depth - base > MAX_NESTED) contents(() => items(array));
    else items(array);
    depth--;
    return array;
  }

  function items(array: unknown[]): void {
    const { length } = array;
    for (let index = 0; index < length; index++) array[index] = value();
  }

  function object(number: number): object {
    const shape = shapeAt(number);
    const made = identify(makeObject(shape));
    enter();
    if (depth - base > MAX_NESTED) contents(() => shape.fill(made, shape.keys, value));
    else shape.fill(made, shape.keys, value);
    depth--;
    return made;
  }

  /** Returns the shape of that number, which is described here where it is the next new one. */
  function shapeAt(number: number): Shape {
    if (number === shapeCount) {
      const count = unsigned();
      const keys = claimed(Math.floor(count / 2));
      const start = position;
      let length = 0;
      for (let left = keys; left > 0; left--) {
        const size = unsigned();
        checkLimit('maxStringLength', size, limits);
        length += size;
      }
      const end = position;
      const names = text.take(length);
      let shape = knownShape(names);
      position = start;
      if (shape?.keys.length === keys && shape.hasPrototype !== (count % 2 === tags.NULL_PROTOTYPE)) {
        let same = 0;
        while (same < keys && unsigned() === shape.keys[same].length) same++;
        if (same < keys) shape = undefined;
      } else shape = undefined;
      position = start;
      shape ??= newShape(names, Array.from({ length: keys }, unsigned), count % 2 !== tags.NULL_PROTOTYPE);
      position = end;
      shapes[shapeCount++] = shape;
    }
    return (shapes[number] as Shape) ?? fail('reference');
  }

  function instance(number: number): unknown {
    const type = number - tags.FIRST_TYPE;
    const name = TYPE_NAMES[type] ?? fail('tag');
    if (options.refuse?.includes(name)) throw notAccepted(name);
    if (type >= VIEW) return record(type);
    const made = identify(makeEmpty(type));
    enter();
    contents(() => fillCollection(type, made, claimed(unsigned()), parts));
    depth--;
    return made;
  }

  /** Reads an instance of a type that is no collection, and makes of it what is asked for. */
  function record(type: number, make = (instance: object): object => instance): unknown {
    return unfinished(() => {
      try {
        return make(putTogether(type, parts));
      } catch (error) {
        throw error instanceof CloneError ? error : malformed(TYPE_NAMES[type], position);
      }
    });
  }

  /** Reads an object that can only be made when all its parts are there. */
  function unfinished(read: () => unknown): unknown {
    const number = objectCount;
    identify(undefined);
    enter();
    if (depth - base > MAX_RECURSION) throw limitExceeded('maxDepth', limits);
    const made = read();
    // What an extension stands for may be undefined, and be referred to.
    objects[number] = made === undefined ? NOTHING : made;
    depth--;
    return made;
  }

  return decode;
}

/** Returns a list without the items that were in it: the same list, if they were few. */
function emptied(list: unknown[], count: number): unknown[] {
  if (count > FEW) return [];
  // Their places are kept, since making them takes longer.
  for (let index = 0; index < count; index++) list[index] = undefined;
  return list;
}
