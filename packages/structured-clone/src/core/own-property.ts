/**
 * Defines an own property of an object. Assigning would run a setter for a key such as `__proto__`. If the key is an
 * index, V8 makes room for all smaller ones, hundreds of times the size of the input, unless the property is read-only
 * at first. Arrays are the exception, because their lengths are checked and they are to stay fast.
 */
export function ownProperty(object: object, key: string, value: unknown, enumerable = true): boolean {
  if (/^\d/.test(key) && !Array.isArray(object)) Reflect.defineProperty(object, key, { configurable: true });
  return Reflect.defineProperty(object, key, { value, enumerable, writable: true, configurable: true });
}
