/** The bytes of an object, which no property of it gives. */
export const BODY = 'body';

/** The only field that may be an object. */
export const HEADERS = 'headers';

/** The only field that is sent where the options say so, else as undefined. */
export const STACK = 'stack';

/** The name of a class of `Temporal`, and what its instance says. */
export const CLASS = 'class';
export const TEXT = 'text';

/** The most that a resizable buffer may ask for. Engines reserve addresses for it, not memory. */
export const MAX_RESERVED_BYTES = 2 ** 30;

/**
 * The fields that say what an instance is, for the types from `FIRST_RECORD` on: its properties, or what its method
 * `valueOf` returns. Of a request, it is what a server sees of it.
 */
export const FIELDS: readonly (readonly string[])[] = [
  ['resizable', 'maxByteLength', BODY],
  ['source', 'flags', 'lastIndex'],
  ['message', 'name', STACK],
  ['valueOf'],
  ['valueOf'],
  ['valueOf'],
  ['valueOf'],
  ['href'],
  ['url', 'method', 'redirect', HEADERS, BODY],
  ['status', 'statusText', HEADERS, BODY],
  ['type', BODY],
  ['name', 'lastModified', 'type', BODY],
  [CLASS, TEXT],
];

/** The text of a duration would make seconds of a thousand milliseconds. */
const UNITS = 'years months weeks days hours minutes seconds milliseconds microseconds nanoseconds'.split(' ');

/** Returns a field's value. */
// biome-ignore lint/suspicious/noExplicitAny: of the class that the type says
export function fieldOf(instance: any, name: string): unknown {
  if (name === 'valueOf') return instance.valueOf();
  if (name === CLASS) return instance[Symbol.toStringTag].slice('Temporal.'.length);
  if (name === TEXT) return 'weeks' in instance ? UNITS.map((unit) => instance[unit]).join() : `${instance}`;
  return instance[name];
}
