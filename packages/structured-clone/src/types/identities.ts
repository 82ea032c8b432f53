/**
 * The objects of one value, numbered in the order they were met. A Set keeps that order, so one look-up an object
 * finds repeats, and numbers are only worked out where there is one.
 */
export class Identities {
  #first: object | undefined;
  #objects: Set<object> | undefined;
  #numbers: Map<object, number> | undefined;

  /** Returns the number of an object met before, or numbers it and returns -1. */
  add(object: object): number {
    // Most values of a call are a single object, which needs no set.
    if (this.#first === undefined) {
      this.#first = object;
      return -1;
    }
    this.#objects ??= new Set<object>().add(this.#first);
    const { size } = this.#objects;
    if (this.#objects.add(object).size !== size) {
      this.#numbers?.set(object, size);
      return -1;
    }
    if (this.#numbers === undefined) {
      this.#numbers = new Map();
      for (const known of this.#objects) this.#numbers.set(known, this.#numbers.size);
    }
    return this.#numbers.get(object)!;
  }

  clear(): void {
    this.#first = this.#objects = this.#numbers = undefined;
  }
}
