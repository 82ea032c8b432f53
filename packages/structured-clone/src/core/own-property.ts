/** Defines an own property of an object. Assigning would run a setter for a key such as `__proto__`. */
export function ownProperty(object: object, key: string, value: unknown, enumerable = true): boolean {
  return Reflect.defineProperty(object, key, { value, enumerable, writable: true, configurable: true });
}

/**
 * Defines an own property of an object that is no array. If its key is an index, V8 would make room for all smaller
 * ones, hundreds of times the size of the input, but not if the property is read-only at first.
 */
export function sparseProperty(object: object, key: string, value: unknown, enumerable?: boolean): void {
  if (/^\d/.test(key)) Reflect.defineProperty(object, key, { configurable: true });
  ownProperty(object, key, value, enumerable);
}
