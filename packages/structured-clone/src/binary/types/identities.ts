/** The objects of one value, numbered in the order they were met. */
export interface Identities {
  /** Returns the number of an object met before, or numbers it and returns -1. */
  add(object: object): number;
  clear(): void;
}

/** Going through so many takes no longer than one look-up in a set. */
const FEW = 8;

/**
 * Most values of a call hold a few objects, which are gone through. Where there are more, a Set keeps their order, so
 * that one look-up an object finds repeats, and numbers are only worked out where there is one.
 */
export function createIdentities(): Identities {
  const few: (object | undefined)[] = new Array(FEW).fill(undefined);
  let count = 0;
  let objects: Set<object> | undefined;
  let numbers: Map<object, number> | undefined;

  return {
    add(object) {
      if (objects === undefined) {
        for (let number = 0; number < count; number++) if (few[number] === object) return number;
        if (count < FEW) {
          few[count++] = object;
          return -1;
        }
        objects = new Set(few as object[]);
      }
      const { size } = objects;
      if (objects.add(object).size !== size) {
        numbers?.set(object, size);
        return -1;
      }
      if (numbers === undefined) {
        numbers = new Map();
        for (const known of objects) numbers.set(known, numbers.size);
      }
      return numbers.get(object)!;
    },
    clear() {
      while (count > 0) few[--count] = undefined;
      objects = numbers = undefined;
    },
  };
}
