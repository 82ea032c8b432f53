/** The bytes of an object, which no property of it gives. */
export const BODY = 'body';

/** The only field that may be an object. */
export const HEADERS = 'headers';

/** The only field that is sent where the options say so, else as undefined. */
export const STACK = 'stack';

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
];

/** Returns a field's value. */
export function fieldOf(instance: object, name: string): unknown {
  return name === 'valueOf' ? instance.valueOf() : (instance as Record<string, unknown>)[name];
}
