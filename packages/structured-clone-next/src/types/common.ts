import type { Reader } from '../read.ts';
import type { Writer } from '../write.ts';
import { makeBinary, takeBinary } from './binary.ts';
import { emptyError, isErrorName, makeError, takeError } from './errors.ts';
import {
  builtIn,
  eachPair,
  fieldsOf,
  integer,
  itemsOf,
  ownProperty,
  record,
  requirePart,
  type Types,
} from './types.ts';

/** The types of the language. */
export const common: Types = { weigh, take, empty, make };

function weigh(name: string): number {
  return name === 'DOMException' ? 11 : isErrorName(name) ? 4 : /RegExp|.Array|ArrayB|View/.test(name) ? 5 : 1;
}

// biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
function take(name: string, value: any, to: Writer): unknown[] | undefined {
  switch (name) {
    case 'Map':
    case 'Set': {
      const items = itemsOf(name, value);
      to.countKeys(items, name === 'Set' ? 1 : 2);
      return items;
    }
    case 'Date':
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
      return [builtIn(name).prototype.valueOf.call(value)];
    case 'RegExp':
      return fieldsOf(value, 'source', 'flags', 'lastIndex');
  }
  return isErrorName(name) ? takeError(name, value, to) : takeBinary(name, value, to);
}

function empty(name: string): object | undefined {
  switch (name) {
    case 'Map':
      return new Map();
    case 'Set':
      return new Set();
    case 'Array':
      return [];
  }
  return emptyError(name);
}

// biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
function make(name: string, parts: any[], from: Reader, empty: any): object | undefined {
  switch (name) {
    case 'Map':
      from.countKeys(parts, 2);
      eachPair(parts, 0, (key, value) => empty.set(key, value));
      return empty;
    case 'Set':
      from.countKeys(parts, 1);
      parts.forEach(empty.add, empty);
      return empty;
    case 'Array': {
      const length = integer(parts[0]);
      // Holes are counted before they are made.
      from.countHoles(length - (parts.length - 1) / 2);
      empty.length = length;
      eachPair(parts, 1, (key, value) => {
        ownProperty(empty, key, value);
        // An item beyond the length would change the length, and so would a property named `length`.
        requirePart(key !== 'length' && empty.length === length);
      });
      return empty;
    }
    case 'Date':
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
    case 'RegExp':
      return record(
        parts,
        0,
        (first, flags, lastIndex) =>
          name === 'Date'
            ? new Date(first)
            : name === 'RegExp'
              ? Object.assign(new RegExp(first, flags), { lastIndex })
              : Object(first),
        (made) => take(name, made, from as never)!,
      );
  }
  return isErrorName(name) ? makeError(name, parts, empty) : makeBinary(name, parts, from);
}
