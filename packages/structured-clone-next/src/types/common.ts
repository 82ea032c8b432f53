import { describe, notCloneable } from '../clone-error.ts';
import type { Reader } from '../read.ts';
import { isErrorName, ownProperty, type Writer } from '../write.ts';
import { makeBinary, takeBinary } from './binary.ts';
import { makeError, takeError } from './errors.ts';
import { builtIn, eachPair, integer, itemsOf, refuseNamed, requirePart, type Types, text } from './types.ts';

/** The types of the language. */
export const common: Types = { take, make };

/** The length of the longest boxed string whose keys are listed. Their names would take a hundred times its memory. */
const MAX_LISTED = 10_000;

// biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
function take(name: string, value: any, to: Writer): unknown[] | undefined {
  switch (name) {
    case 'Map':
    case 'Set': {
      refuseNamed(value);
      const items = itemsOf(name, value);
      to.countKeys(items, name === 'Set' ? 1 : 2);
      return items;
    }
    case 'Date':
      refuseNamed(value);
      return [Date.prototype.getTime.call(value)];
    case 'RegExp': {
      refuseNamed(value);
      to.count(4);
      const { source, flags, lastIndex } = value;
      // Anything can be assigned to it.
      if (Object(lastIndex) === lastIndex)
        throw notCloneable(value, `lastIndex of ${describe(value)} that is no primitive`);
      return [source, flags, lastIndex];
    }
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt': {
      const own = name === 'String' ? value.length : 0;
      if (own <= MAX_LISTED) refuseNamed(value, own);
      return [builtIn(name).prototype.valueOf.call(value)];
    }
  }
  return isErrorName(name) || name === 'DOMException' ? takeError(name, value, to) : takeBinary(name, value, to);
}

function make(name: string, content: unknown[], from: Reader): object | undefined {
  switch (name) {
    case 'Map': {
      const map = from.add(new Map());
      const parts = from.list(content);
      from.countKeys(parts, 2);
      eachPair(parts, 0, (key, value) => map.set(key, value));
      return map;
    }
    case 'Set': {
      const set = from.add(new Set());
      const parts = from.list(content);
      from.countKeys(parts, 1);
      for (const part of parts) set.add(part);
      return set;
    }
    case 'Date': {
      const [time, ...others] = from.parts(content);
      requirePart(others.length === 0 && typeof time === 'number');
      const date = new Date(time);
      // The time differs if it was out of range, or not a whole number of milliseconds.
      requirePart(Object.is(date.getTime(), time));
      return date;
    }
    case 'Array': {
      const array = from.add<unknown[]>([]);
      // Holes are counted before they are made.
      const length = integer(content[0]);
      from.countHoles(length, (content.length - 1) / 2);
      array.length = length;
      eachPair(from.list(content), 1, (key, value) => {
        // An item beyond the length would change the length, and so would a property named `length`.
        requirePart(key !== 'length' && ownProperty(array, text(key), value) && array.length === length);
      });
      return array;
    }
    case 'RegExp': {
      from.count(4);
      const [source, flags, lastIndex, ...others] = from.parts(content);
      requirePart(others.length === 0 && content.length === 3 && Object(lastIndex) !== lastIndex);
      const regexp = new RegExp(text(source), text(flags));
      // Constructors convert their arguments. Only what needs no conversion was written.
      requirePart(regexp.source === source && regexp.flags === flags);
      return Object.assign(regexp, { lastIndex });
    }
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt': {
      const [primitive, ...others] = from.parts(content);
      requirePart(others.length === 0 && typeof primitive === name.toLowerCase());
      return Object(primitive);
    }
  }
  return isErrorName(name) || name === 'DOMException'
    ? makeError(name, content, from)
    : makeBinary(name, content, from);
}
