import type { Reader } from '../read.ts';
import type { Writer } from '../write.ts';
import { makeBinary, takeBinary } from './binary.ts';
import { isErrorName, makeError, takeError } from './errors.ts';
import { builtIn, eachPair, fieldsOf, itemsOf, ownProperty, record, requirePart, type Types } from './types.ts';

/** The types of the language. */
export const common: Types = { weigh, take, make };

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

function make(name: string, content: unknown[], from: Reader): object | undefined {
  switch (name) {
    case 'Map': {
      const map = new Map();
      const parts = from.parts(content, map);
      from.countKeys(parts, 2);
      eachPair(parts, 0, (key, value) => map.set(key, value));
      return map;
    }
    case 'Set': {
      const set = new Set();
      const parts = from.parts(content, set);
      from.countKeys(parts, 1);
      parts.forEach(set.add, set);
      return set;
    }
    case 'Array': {
      const array: unknown[] = [];
      const parts = from.parts(content, array);
      const length = parts[0] as number;
      // Holes are counted before they are made.
      from.countHoles(length - (parts.length - 1) / 2);
      array.length = length;
      eachPair(parts, 1, (key, value) => {
        ownProperty(array, key, value);
        // An item beyond the length would change the length, and so would a property named `length`.
        requirePart(key !== 'length' && array.length === length);
      });
      return array;
    }
    case 'Date':
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
    case 'RegExp':
      return record(
        from.parts(content, undefined),
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
  return isErrorName(name) ? makeError(name, content, from) : makeBinary(name, content, from);
}
