import { describe, type Types } from './types.ts';

/** Returns what a refused value is called, and what to do instead. */
export function explain(subject: unknown, types: Types): [what: string, advice: string] {
  if (typeof subject === 'symbol') return ['symbols', 'pass a string'];
  const object = subject as { next?: unknown; then?: unknown };
  const what = describe(object);
  if (typeof object === 'function') return [what, 'pass what they return'];
  if (typeof object.then === 'function') return [what, 'await them first'];
  if (typeof object.next === 'function' || Symbol.asyncIterator in object) {
    return ['iterators and streams', 'pass an array of what they yield'];
  }
  // A supported class whose instances are refused only if they are no real ones.
  const isSupported = types.find(`$${object.constructor?.name}`);
  return [
    what,
    isSupported
      ? 'pass a real one: this is a Proxy, of a library, detached or cut off'
      : 'register the class, or pass a plain object',
  ];
}
