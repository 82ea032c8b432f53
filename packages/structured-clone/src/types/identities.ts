/** The objects of one value, numbered in the order they were met. */
export interface Identities {
  /** Returns the number of an object met before, or numbers it and returns -1. */
  add(object: object): number;
  clear(): void;
}

/**
 * A Set keeps the order of its members, so one look-up an object finds repeats, and numbers are only worked out where
 * there is one.
 */
export function createIdentities(): Identities {
  let first: object | undefined;
  let objects: Set<object> | undefined;
  let numbers: Map<object, number> | undefined;

  return {
    add(object) {
      // Most values of a call are a single object, which needs no set.
      if (first === undefined) {
        first = object;
        return -1;
      }
      objects ??= new Set<object>().add(first);
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
      first = objects = numbers = undefined;
    },
  };
}
