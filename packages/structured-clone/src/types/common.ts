import {
  builtIn,
  eachPair,
  integer,
  itemsOf,
  ownProperty,
  type Row,
  requirePart,
  row,
  stepToItem,
  type Types,
} from '../types.ts';
import { binaryRow } from './binary.ts';
import { errorRow } from './errors.ts';

/** The types of the language that most values are made of. */
export const common: Types = { find };

function find(mark: string): Row | undefined {
  switch (mark) {
    case '$Array':
      // Arrays that have holes or named properties. They are taken apart as plain ones are.
      return row(
        (parts) => 1 + Math.max(integer(parts[0]) - (parts.length >> 1), 0),
        () => [],
        (parts, array) => {
          const length = parts[0];
          array.length = length;
          eachPair(parts, 1, (key, value) => {
            ownProperty(array, key, value);
            // An item beyond the length would change the length, and so would a property named `length`.
            requirePart(key !== 'length' && array.length === length);
          });
          return array;
        },
        () => [],
      );
    case '$Map':
    case '$Set': {
      const step = mark === '$Map' ? 2 : 1;
      return row(
        (parts) => {
          let weight = 1;
          for (let at = 0; at < parts.length; at += step) {
            const key = parts[at];
            // Of a bigint, V8 hashes only the lowest 64 bits. Many that differ only beyond these take quadratic time.
            if (typeof key === 'bigint' && BigInt.asIntN(64, key) !== key) weight += 32;
          }
          return weight;
        },
        (items) => itemsOf(mark, items),
        (parts, into) => {
          if (step === 1) parts.forEach(into.add, into);
          else eachPair(parts, 0, (key, value) => into.set(key, value));
          return into;
        },
        () => new (builtIn(mark))(),
        step === 2 ? stepToItem : (_parts, at) => `.values()[${at}]`,
      );
    }
    case '$Date':
      return row(
        1,
        (date) => [Date.prototype.getTime.call(date)],
        (parts) => {
          const time = parts[0];
          requirePart(parts.length === 1 && typeof time === 'number');
          const date = new Date(time);
          // The time differs if it was out of range, or not a whole number of milliseconds.
          requirePart(Object.is(+date, time));
          return date;
        },
      );
  }
  return errorRow(mark) ?? binaryRow(mark);
}
