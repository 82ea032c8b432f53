import { limitExceeded, malformed, notAccepted } from '../core/clone-error.ts';
import { checkLimit, countHoles, parseBigInt, resolveLimits } from '../core/limits.ts';
import type { DecodeOptions } from '../core/options.ts';
import type { Decoder } from './codec.ts';
import { isDescribed, knownShape, makeObject, newShape, type Shape } from './known-shapes.ts';
import { MAX_NESTED, MAX_RECURSION, OBJECT_BYTES, weightOf } from './limits.ts';
import { emptied, plainBytes } from './memory.ts';
import { unblock } from './numbers.ts';
import { revive } from './revive.ts';
import * as tags from './tags.ts';
import { createTextReader } from './text-reader.ts';
import { attempt, COMMON, isCommon, makeEmpty, type Parts, type PutTogether } from './types/put-together.ts';
import { RARE } from './types/put-together-rare.ts';
import { TYPE_NAMES, VIEW } from './types/type-names.ts';

/** Objects, and holes, that all values of an encoding may hold beyond what one may: of values that are sent together, few are large. */
const MORE = 2 ** 17;

/** An encoding of no value. */
const NOTHING = new Uint8Array(1);

/** Makes a decoder. */
export function createDecoder(options: DecodeOptions = {}): Decoder {
  // State is in variables of one closure: minifiers shorten those, and engines are quick with them.
  const limits = resolveLimits(options.limits);
  const { maxDepth, maxObjects, maxHoles, maxStringLength } = limits;
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
  /** How many they count as, and how many there may be yet in the encoding. */
  let weight = 0;
  let objectsLeft = 0;
  /** Items of all arrays and parts of all collections of the encoding. */
  let slots = 0;
  let holes = 0;
  let holesLeft = 0;
  /** How deep the recursion is, and how much deeper the container at hand is nested: what had to wait begins at the top. */
  let recursion = 0;
  let above = 0;
  const later: [depth: number, read: (...of: never[]) => void, of: unknown, by: unknown, from: unknown][] = [];

  const parts: Parts = {
    value,
    bytes() {
      const length = value();
      if (length === null) return length;
      position += claimed(length);
      return bytes.slice(position - (length as number), position) as Uint8Array<ArrayBuffer>;
    },
  };

  function decode(encoding: Uint8Array, each: (value: unknown, cost: number) => void): void {
    // A user's code that is called from here may decode something itself.
    if (isBusy) return createDecoder(options)(encoding, each);
    isBusy = true;
    try {
      bytes = plainBytes(encoding);
      end = text.open(bytes);
      objectsLeft = maxObjects + MORE;
      holesLeft = maxHoles + MORE;
      position = 0;
      let before = 0;
      while (position < end) {
        if (bytes[position] === tags.RESET) {
          position++;
          forget();
        } else {
          const read = whole();
          const { taken } = text;
          const cost = position + taken - before + weight * OBJECT_BYTES;
          before = position + taken;
          clear();
          each(read, cost);
        }
      }
      text.finish();
    } finally {
      // What was decoded is not to be kept alive from here.
      bytes = NOTHING;
      text.open(NOTHING);
      view = undefined;
      forget();
      clear();
      slots = recursion = above = 0;
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
    objectCount = weight = holes = 0;
  }

  function fail(what: string): never {
    throw malformed(what, position);
  }

  /** Reads a value with all that had to wait in it. */
  function whole(): unknown {
    const first = later.length;
    const read = value();
    if (later.length > first) {
      const before = above;
      // The list grows while it is gone through.
      for (let next = first; next < later.length; next++) {
        const [depth, read, of, by, from] = later[next];
        above = depth - recursion;
        read(of as never, by as never, from as never);
      }
      later.length = first;
      above = before;
    }
    return position <= end ? read : fail('end');
  }

  /** Reads what is in a container: now, or where the recursion is deep already, when it has come back. */
  function inside<Of, By, From>(read: (of: Of, by: By, from: From) => void, of: Of, by: By, from: From): void {
    enter();
    if (recursion > MAX_NESTED) later.push([recursion + above, read, of, by, from]);
    else read(of, by, from);
    recursion--;
  }

  function enter(): void {
    if (++recursion + above > maxDepth) throw limitExceeded('maxDepth', limits);
  }

  function value(): unknown {
    if (position >= end) fail('end');
    const tag = bytes[position++];
    // The commonest of all.
    if (tag < tags.LONG) return tag;
    if (tag >= tags.FIRST_SPECIAL) return special(tag);
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
        return number < objectCount && objects[number] !== NOTHING ? objects[number] : fail('reference');
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
        return tag === (tags.FIRST_SPECIAL | tags.TRUE);
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
        // Of a buffer that is there already, a few bytes each would make any number of arrays of its length.
        return bytes[position] > tags.LAST_BLOCK || bytes[position] % 2 > 0
          ? fail('numbers')
          : unfinished(record, VIEW, numbers);
      case tags.EXTENSION:
        return unfinished(extension);
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
    let result = first & 127;
    for (let scale = 128; scale < 2 ** 56; scale *= 128) {
      const next = bytes[position++];
      result += (next & 127) * scale;
      if (next < 128 && result <= Number.MAX_SAFE_INTEGER) return result;
    }
    return fail('integer');
  }

  /** Checks a number of bytes against those that are left. */
  function claimed(count: unknown): number {
    return Number.isInteger(count) && (count as number) >= 0 && (count as number) <= end - position
      ? (count as number)
      : fail('length');
  }

  /** Makes room for so many values, every one of which is at least a byte. */
  function listOf(length: number): unknown[] {
    slots += length;
    return slots <= end ? new Array(length) : fail('length');
  }

  function string(length: number): string {
    if (length > maxStringLength) throw limitExceeded('maxStringLength', limits);
    if (length >= tags.MIN_REMEMBERED && length <= tags.MAX_REMEMBERED) {
      const taken = text.take(length);
      strings[stringCount++] = taken;
      return taken;
    }
    return text.take(length);
  }

  /** Gives an object the next identity number. */
  function identify<T>(object: T): T {
    objects[objectCount++] = object;
    if (++weight > maxObjects || objectsLeft-- < 1) throw limitExceeded('maxObjects', limits);
    return object;
  }

  function array(length: number): unknown[] {
    const array = identify(listOf(length));
    inside(items, array, 0, 0);
    return array;
  }

  function items(array: unknown[]): void {
    const { length } = array;
    for (let index = 0; index < length; index++) array[index] = value();
  }

  function object(number: number): object {
    const shape = shapeAt(number);
    const made = identify(makeObject(shape));
    inside(shape.fill, made, shape.keys, value);
    return made;
  }

  /** Returns the shape of that number, which is described here where it is the next new one. */
  function shapeAt(number: number): Shape {
    if (number === shapeCount) {
      const start = position;
      const count = unsigned();
      const keys = claimed(Math.floor(count / 2));
      let length = 0;
      for (let left = keys; left > 0; left--) {
        const size = unsigned();
        checkLimit('maxStringLength', size, limits);
        length += size;
      }
      const names = text.take(length);
      let shape = knownShape(names);
      if (!shape || !isDescribed(shape, bytes, start, position)) {
        const description = bytes.slice(start, position);
        position = start;
        unsigned();
        shape = newShape(names, Array.from({ length: keys }, unsigned), count % 2 !== tags.NULL_PROTOTYPE, description);
      }
      shapes[shapeCount++] = shape;
    }
    return (shapes[number] as Shape) ?? fail('reference');
  }

  function instance(number: number): unknown {
    const type = number - tags.FIRST_TYPE;
    const name = TYPE_NAMES[type] ?? fail('tag');
    if (options.refuse?.includes(name)) throw notAccepted(name);
    const types = isCommon(type) ? COMMON : RARE;
    const more = weightOf(type) - 1;
    weight += more;
    objectsLeft -= more;
    if (type >= VIEW) return unfinished(record, type, types.make);
    const made = identify(makeEmpty(type));
    inside(collection, type, made, types);
    return made;
  }

  function collection(type: number, made: object, { fill }: PutTogether): void {
    const parts = listOf(unsigned());
    items(parts);
    attempt(TYPE_NAMES[type], () => fill(type, made, parts, count), position);
  }

  function count(length: number, parts: number): void {
    const found = countHoles(length, parts);
    holes += found;
    holesLeft -= found;
    if (holes > maxHoles || holesLeft < 0) throw limitExceeded('maxHoles', limits);
  }

  /** Reads an instance of a type that is no collection. */
  function record(type: number, make: PutTogether['make']): unknown {
    return attempt(TYPE_NAMES[type], () => make(type, parts), position);
  }

  function extension(): unknown {
    return revive(value(), whole(), options);
  }

  /** Reads an object that can only be made when all its parts are there. */
  function unfinished<A, B>(read: (a: A, b: B) => unknown, a?: A, b?: B): unknown {
    const number = objectCount;
    identify(NOTHING);
    enter();
    if (recursion > MAX_RECURSION) throw limitExceeded('maxDepth', limits);
    const made = read(a!, b!);
    objects[number] = made;
    recursion--;
    return made;
  }

  return decode;
}

function numbers(type: number, parts: Parts): unknown[] {
  return unblock(COMMON.make(type, parts) as unknown as ArrayLike<unknown>);
}
