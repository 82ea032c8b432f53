/** The names that classes give their instances. */
interface Branded {
  Promise: Promise<unknown>;
  AbortSignal: AbortSignal;
  ReadableStream: ReadableStream;
  WritableStream: WritableStream;
}

/** Methods, one of each of these classes. */
const METHODS = ['then', 'addEventListener', 'getReader', 'getWriter'];

/**
 * Returns true if a value is an instance of this class by its own account. It may be of another window, worker or
 * context, of a polyfill, or of a library that replaces the class, as zone.js does with Promise.
 */
export function hasBrand<Name extends keyof Branded>(value: unknown, name: Name): value is Branded[Name] {
  return (
    Object.prototype.toString.call(value) === `[object ${name}]` && METHODS.some((key) => key in (value as object))
  );
}

/** Returns true for promises, whoever made them. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise || hasBrand(value, 'Promise');
}
