/**
 * The text form is JSON; what JSON cannot say is an object with one key that starts with a dollar sign. A key of the
 * value's own that starts with one gets a second one in front, so no data can be taken for a mark.
 */
export const MARK = '$';
export const UNDEFINED = '$undefined';
export const NUMBER = '$number';
export const BIGINT = '$bigint';
export const NULL_PROTOTYPE = '$nullPrototype';
export const REFERENCE = '$reference';
export const EXTENSION = '$extension';
/** Raw bytes, in base64. */
export const BYTES = '$bytes';
/** Stands for a container that is nested too deep, and is written behind. */
export const LATER = '$later';
/** At the very outside: a value and all containers that had to wait, in the order in which they were met. */
export const WITH_LATER = '$withLater';
