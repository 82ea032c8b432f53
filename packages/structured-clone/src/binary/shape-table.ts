/** Remembers the shapes of an encoding, so that the keys of objects that are alike are written once. */
export interface ShapeTable {
  /**
   * Guesses the number of an object's shape from what followed the last object before: right for rows, also for rows in
   * rows. Returns -1 where it was wrong.
   */
  guess(object: object, hasPrototype: boolean): number;
  /** Returns the number of the shape with these keys, which is the next one where it is new. */
  find(keys: readonly string[], hasPrototype: boolean): number;
  clear(): void;
}

/** The keys of a plain object, in order. */
interface Shape {
  readonly number: number;
  readonly keys: readonly string[];
  readonly hasPrototype: boolean;
  /** The shape of the object that came after the last one of this shape. */
  follower?: Shape;
}

/** Objects of more keys than this are dictionaries: none will be like them, and comparing them takes long. */
const MAX_KEYS = 64;

export function createShapeTable(): ShapeTable {
  const byKeys = new Map<string, Shape>();
  let count = 0;
  let last: Shape | undefined;

  return {
    guess(object, hasPrototype) {
      const shape = last?.follower ?? last;
      if (shape?.hasPrototype !== hasPrototype) return -1;
      const { keys } = shape;
      let index = 0;
      for (const key in object) if (key !== keys[index++]) return -1;
      if (index !== keys.length) return -1;
      last = last!.follower = shape;
      return shape.number;
    },
    find(keys, hasPrototype) {
      if (keys.length > MAX_KEYS) return count++;
      // A key may contain the separator: then two shapes share an entry, and the older is forgotten.
      const name = `${hasPrototype}${keys.join('\0')}`;
      let shape = byKeys.get(name);
      if (!shape?.keys.every((key, index) => key === keys[index])) {
        shape = { number: count++, keys, hasPrototype };
        byKeys.set(name, shape);
      }
      if (last !== undefined) last.follower = shape;
      last = shape;
      return shape!.number;
    },
    clear() {
      if (count > 0) byKeys.clear();
      count = 0;
      last = undefined;
    },
  };
}
