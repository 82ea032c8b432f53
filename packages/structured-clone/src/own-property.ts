import { malformed } from './clone-error.ts';

/** Defines a property of the object itself: assigning would run a setter for a key such as `__proto__`. */
export function ownProperty(object: object, key: string, value: unknown, enumerable = true): boolean {
  return Reflect.defineProperty(object, key, { value, enumerable, writable: true, configurable: true });
}

/** Defines a property that arrived for any object, without letting it change what the object consists of. */
export function defineField(object: object, key: string, value: unknown): void {
  const { length } = object as { length?: unknown };
  const defined = ArrayBuffer.isView(object) ? false : ownProperty(object, key, value);
  if (!defined || (Array.isArray(object) && object.length !== length)) throw malformed('property');
}
