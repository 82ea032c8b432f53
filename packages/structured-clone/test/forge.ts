import * as tags from '../src/binary/tags.ts';
import { TYPE_NAMES, type TypeName } from '../src/binary/types/type-names.ts';

/** Writes what no encoder writes, in the binary form. */

/** A varint: seven bits a byte, the lowest first. */
export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

/** The first byte of a value, with the rest of its number. */
export function tag(kind: number, number: number): number[] {
  return number < tags.LONG ? [(kind << 5) | number] : [(kind << 5) | tags.LONG, ...varint(number - tags.LONG)];
}

export const special = (number: number) => tag(tags.SPECIAL, number);
export const integer = (value: number) => tag(tags.INTEGER, value);
export const reference = (number: number) => tag(tags.REFERENCE, number);
export const array = (length: number) => tag(tags.ARRAY, length);
/** Of so many units of the text. */
export const string = (length: number) => tag(tags.STRING, length);
/** The beginning of a type's instance. */
export const type = (name: TypeName) => special(tags.FIRST_TYPE + TYPE_NAMES.indexOf(name));
/** A new shape, with the number that is next, of keys of these lengths; its objects' values follow. */
export const object = (number: number, ...lengths: number[]) => [
  ...tag(tags.OBJECT, number),
  ...varint(lengths.length * 2),
  ...lengths.flatMap(varint),
];
export const EMPTY_OBJECT = object(0);
export const BYTES = (claimed: number, ...bytes: number[]) => [...integer(claimed), ...bytes];

/** An encoding: its structure, and the text of its strings. */
export function forge(structure: readonly (number | readonly number[])[], text = ''): Uint8Array {
  const units = new TextEncoder().encode(text);
  if (units.length > tags.MAX_SHORT_TEXT) throw new Error('too much text');
  return Uint8Array.from([...structure.flat(), ...units, units.length]);
}
