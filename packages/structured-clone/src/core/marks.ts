// Names of marks that are no class: all begin with a small letter, and classes of the platform with a capital.

/** Stands around a value that holds marks; inside of one, around a plain object that only looks like a mark. */
export const VALUE = '$';
export const UNDEFINED = '$undefined';
export const NUMBER = '$number';
export const BIGINT = '$bigint';
export const REFERENCE = '$reference';
/** A plain object without prototype. */
export const NULL = '$null';
/** Bytes: in text their base64, in a message how many of those behind the text they are. */
export const BYTES = '$bytes';

/** Beginning of every text that holds marks. */
export const BEGINNING = `{"${VALUE}":`;

/** True if a plain object with this only key looks like a mark. */
export function isMark(key: string): boolean {
  return key[0] === VALUE;
}

/** Returns the key of an object that has no other. */
export function onlyKey(tree: object): string | undefined {
  let only: string | undefined;
  for (const key in tree) {
    if (only !== undefined) return undefined;
    only = key;
  }
  return only;
}
