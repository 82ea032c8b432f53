/**
 * Containers nested deeper than this are written, and read, when everything before them is: so recursion, and with it
 * the stack, is bounded whatever the depth. A part of the format.
 */
export const MAX_NESTED = 64;
/** What cannot wait, such as the payload of an extension in the payload of an extension, may go on to here. */
export const MAX_RECURSION = 256;

/** What an object takes in memory beside its bytes, about. */
export const OBJECT_BYTES = 128;

/** How many objects an instance of each type counts as, in the order of `TYPE_NAMES` and in base 36: by its memory, as it was measured in workerd. */
const WEIGHTS = '11444444445b515155b11115kggk4';

/** Returns how many objects an instance of a type counts as. */
export function weightOf(type: number): number {
  return Number.parseInt(WEIGHTS[type] ?? '4', 36);
}
