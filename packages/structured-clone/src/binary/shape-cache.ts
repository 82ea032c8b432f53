/**
 * Remembers the keys of plain objects, so that objects that are alike write them once. What is remembered outlasts an
 * encoding, since the next one mostly holds objects of the same shapes; an encoding has an epoch, by which the numbers
 * given out in it are known. All encoders share the cache: one that finds a number of another's epoch writes the keys
 * once more.
 */

/** The keys of a plain object, in order, and the number they have in the encoding that used them last. */
export interface Shape {
  readonly keys: readonly string[];
  /** All keys, one behind the other. */
  readonly text: string;
  readonly hasPrototype: boolean;
  epoch: number;
  number: number;
  /** The slot of the shape of the object that came after the last one of this shape. */
  follower: number;
}

/** Shapes are in a direct-mapped cache: one that lost its slot to another is just made again. */
const SLOTS = 256;
const shapes: Shape[] = [];
/** Objects of more text than this are dictionaries: none will be like them. */
const MAX_TEXT = 1024;
const MAX_HASHED = 32;
/** Stands before the first shape of an encoding. */
export const BEFORE_FIRST: Shape = { keys: [], text: '', hasPrototype: false, epoch: 0, number: 0, follower: 0 };

/**
 * Guesses an object's shape from what followed the last object before: right for rows, also for rows in rows, and for
 * encodings that are alike. Returns undefined where it was wrong.
 */
export function guessShape(last: Shape, object: object, hasPrototype: boolean): Shape | undefined {
  const shape = shapes[last.follower];
  if (shape?.hasPrototype !== hasPrototype) return undefined;
  const { keys } = shape;
  let index = 0;
  for (const key in object) if (key !== keys[index++]) return undefined;
  return index === keys.length ? shape : undefined;
}

/** Returns the shape with these keys, and remembers that it came after `last`. */
export function findShape(last: Shape, keys: readonly string[], hasPrototype: boolean): Shape {
  const { length } = keys;
  let hash = length;
  for (let at = 0; at < length && at < MAX_HASHED; at++) {
    const key = keys[at];
    hash = (hash * 31 + key.length * 7 + key.charCodeAt(0) * 3 + key.charCodeAt(key.length - 1)) & 0xff_ffff;
  }
  const slot = hash % SLOTS;
  let shape = shapes[slot];
  let same = 0;
  if (shape?.hasPrototype === hasPrototype && shape.keys.length === length) {
    while (same < length && shape.keys[same] === keys[same]) same++;
    last.follower = slot;
    if (same === length) return shape;
  }
  shape = { keys, text: keys.join(''), hasPrototype, epoch: 0, number: 0, follower: slot };
  if (shape.text.length <= MAX_TEXT) {
    shapes[slot] = shape;
    last.follower = slot;
  }
  return shape;
}
