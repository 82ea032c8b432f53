import { describe, notCloneable } from '../clone-error.ts';
import { bufferRow, viewRow } from './binary.ts';
import { errorRow, exceptionRow } from './errors.ts';
import { builtIn, eachPair, itemsOf, type Row, record, requirePart, type Types } from './types.ts';

/** The types of the language, and `DOMException`. */
export const common: Types = { find, known: new Map() };

function find(mark: string): Row | undefined {
  switch (mark) {
    case '$Map':
    case '$Set':
      return collection(mark);
    case '$Date':
      return {
        take: (date) => [Date.prototype.getTime.call(date)],
        make(parts) {
          const time = parts[0];
          requirePart(parts.length === 1 && typeof time === 'number');
          const date = new Date(time);
          // The time differs if it was out of range, or not a whole number of milliseconds.
          requirePart(Object.is(+date, time));
          return date;
        },
      };
    case '$RegExp':
      return record(5, takeRegExp, (source, flags, lastIndex) =>
        Object.assign(new RegExp(source, flags), { lastIndex }),
      );
    case '$Number':
    case '$String':
    case '$Boolean':
    case '$BigInt':
      return record(1, (box) => [builtIn(mark).prototype.valueOf.call(box)], Object);
    case '$DOMException':
      return exceptionRow;
    case '$ArrayBuffer':
      return bufferRow;
  }
  return errorRow(mark) ?? viewRow(mark);
}

function collection(mark: string): Row {
  const step = mark === '$Map' ? 2 : 1;
  return {
    weigh(parts) {
      let weight = 1;
      for (let at = 0; at < parts.length; at += step) {
        const key = parts[at];
        // Of a bigint, V8 hashes only the lowest 64 bits. Many that differ only beyond these take quadratic time.
        if (typeof key === 'bigint' && BigInt.asIntN(64, key) !== key) weight += 32;
      }
      return weight;
    },
    take: (items) => itemsOf(mark, items),
    empty: () => new (builtIn(mark))(),
    make(parts, into) {
      if (step === 1) parts.forEach(into.add, into);
      else eachPair(parts, 0, (key, value) => into.set(key, value));
      return into;
    },
  };
}

function takeRegExp(regexp: RegExp): unknown[] {
  const { source, flags, lastIndex } = regexp;
  // Anything can be assigned to it.
  if (Object(lastIndex) === lastIndex) {
    throw notCloneable(regexp, `lastIndex of ${describe(regexp)} that is no primitive`);
  }
  return [source, flags, lastIndex];
}
