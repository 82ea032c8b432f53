/** Defines an own property of an object. Assigning would run a setter for a key such as `__proto__`. */
export function ownProperty(object: object, key: string, value: unknown, enumerable = true): boolean {
  return Reflect.defineProperty(object, key, { value, enumerable, writable: true, configurable: true });
}
