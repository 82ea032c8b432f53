// Names of marks that are not classes. They begin with a small letter; classes of the platform begin with a capital.

/** Wraps a value that holds marks. Inside such a value, it wraps a plain object that only looks like a mark. */
export const VALUE = '$';
export const UNDEFINED = '$undefined';
export const NUMBER = '$number';
export const BIGINT = '$bigint';
export const REFERENCE = '$reference';
/** A plain object without a prototype. */
export const NULL = '$null';
/** Bytes. In a text, the content is base64; in a message, it is the number of bytes in the tail. */
export const BYTES = '$bytes';

/** The beginning of every text that holds marks. */
export const BEGINNING = `{"${VALUE}":`;

/** Returns true if a plain object with this key and no other looks like a mark. `key` is what `onlyKey` returns. */
export function isMark(key: string | undefined): key is string {
  return key?.[0] === VALUE;
}

/** Returns the key of an object that has exactly one; undefined for all other objects. */
export function onlyKey(tree: object): string | undefined {
  let only: string | undefined;
  for (const key in tree) {
    // Keys that all objects inherit come last.
    if (!Object.hasOwn(tree, key)) break;
    if (only !== undefined) return undefined;
    only = key;
  }
  return only;
}
