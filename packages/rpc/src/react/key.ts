/** What a call or subscription of a stub depends on, beside the stub: components that name the same key share what it gives. */
export type Key = string | number | readonly (string | number | boolean | null | undefined)[];

/** Writes a key down, so that it can be compared. */
export function writeKey(key: Key): string {
  return JSON.stringify(key);
}
