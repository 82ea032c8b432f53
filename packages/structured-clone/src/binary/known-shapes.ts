import { ownProperty } from '../core/own-property.ts';
import { type FillObject, fillAny, takeFiller } from './object-fillers.ts';

/** The keys of objects that are alike, and what sets their values. */
export interface Shape {
  readonly keys: readonly string[];
  readonly hasPrototype: boolean;
  /** The bytes by which it was described. */
  readonly description: Uint8Array;
  /** Objects made so far. */
  count: number;
  fill: FillObject;
}

/** Shapes that were read before, by the text of their keys. When there are too many, it starts over. */
let known = new Map<string, Shape>();
const MAX_KNOWN = 256;
const MAX_TEXT = 1024;
/** After so many objects, a shape is worth a filler of its own. */
const MANY = 64;

const define: FillObject = (object, keys, next) => {
  for (const key of keys) ownProperty(object, key, next());
};

/** Returns the shape that was read before with this text; whoever asks compares its description. */
export function knownShape(text: string): Shape | undefined {
  return known.get(text);
}

/** Whether the bytes from `start` to `end` describe the shape. */
export function isDescribed({ description }: Shape, bytes: Uint8Array, start: number, end: number): boolean {
  const { length } = description;
  let same = 0;
  while (same < length && bytes[start + same] === description[same]) same++;
  return same === length && start + length === end;
}

/** Returns a new shape, whose keys have these lengths in a text that holds them all, one behind the other. */
export function newShape(
  text: string,
  lengths: readonly number[],
  hasPrototype: boolean,
  description: Uint8Array,
): Shape {
  let to = 0;
  const keys = lengths.map((length) => {
    to += length;
    return text.slice(to - length, to);
  });
  // Assigning would run a setter that all objects have, such as that of `__proto__`, or fail where they are frozen.
  const fill = keys.some((key) => key in Object.prototype) ? define : fillAny;
  const shape = { keys, hasPrototype, description, count: 0, fill };
  // Empty keys are no text, and there may be as many of them as there are bytes.
  if (text.length <= MAX_TEXT && lengths.length <= MAX_TEXT) {
    if (known.size >= MAX_KNOWN) known = new Map();
    known.set(text, shape);
  }
  return shape;
}

/** Makes an object of the shape. */
export function makeObject(shape: Shape): Record<string, unknown> {
  if (!shape.hasPrototype) return Object.create(null);
  if (++shape.count === MANY && shape.fill === fillAny) shape.fill = takeFiller();
  return {};
}
