import { describe, notCloneable } from '../clone-error.ts';
import type { Taking } from '../write.ts';
import { isView, makeBinary, takeBinary } from './binary.ts';
import { emptyError, makeError, takeError } from './errors.ts';
import { builtIn, eachPair, isError, itemsOf, requirePart, requireSame, type Types } from './types.ts';

/** The types of the language. */
export const common: Types = { weigh, take, empty, make };

function weigh(mark: string, parts: readonly unknown[]): number {
  switch (mark) {
    case '$Date':
      return 1;
    case '$Map':
    case '$Set': {
      const step = mark === '$Map' ? 2 : 1;
      let weight = 1;
      // Of a bigint, V8 hashes only the lowest 64 bits. Many that differ only beyond these take quadratic time as keys.
      for (let at = 0; at < parts.length; at += step) {
        const key = parts[at];
        if (typeof key === 'bigint' && BigInt.asIntN(64, key) !== key) weight += 32;
      }
      return weight;
    }
    case '$DOMException':
      return 11;
    case '$RegExp':
      return 5;
    case '$ArrayBuffer':
      // A resizable one takes a page of memory and two mappings. Linux gives a process 65,530 of them, and V8 ends a
      // process that gets no more.
      return parts.length > 1 ? 64 : 5;
  }
  return isError(mark) ? 4 : isView(mark) ? 5 : 1;
}

// biome-ignore lint/suspicious/noExplicitAny: of the class that the mark says
function take(mark: string, value: any, state?: Taking): unknown[] | undefined {
  switch (mark) {
    case '$Map':
    case '$Set':
      return itemsOf(mark, value);
    case '$Date':
      return [Date.prototype.getTime.call(value)];
    case '$Number':
    case '$String':
    case '$Boolean':
    case '$BigInt':
      return [builtIn(mark).prototype.valueOf.call(value)];
    case '$RegExp':
      // Anything can be assigned to the index.
      if (Object(value.lastIndex) === value.lastIndex) {
        throw notCloneable(value, `lastIndex of ${describe(value)} that is no primitive`);
      }
      return [value.source, value.flags, value.lastIndex];
  }
  return isError(mark) ? takeError(mark, value, state!) : takeBinary(mark, value, state!);
}

function empty(mark: string): object | undefined {
  return mark === '$Map' || mark === '$Set' ? new (builtIn(mark))() : isError(mark) ? emptyError(mark) : undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
function make(mark: string, parts: any[], empty: any): object | undefined {
  const first = parts[0];
  let made: object;
  switch (mark) {
    case '$Map':
      eachPair(parts, 0, (key, value) => empty.set(key, value));
      return empty;
    case '$Set':
      parts.forEach(empty.add, empty);
      return empty;
    case '$Date':
      requirePart(typeof first === 'number' && parts.length === 1);
      made = new Date(first);
      // The time differs if it was out of range, or not a whole number of milliseconds.
      requirePart(Object.is(+made, first));
      return made;
    case '$Number':
    case '$String':
    case '$Boolean':
    case '$BigInt':
    case '$RegExp':
      requirePart(!parts.some((part) => Object(part) === part));
      made = Object(first);
      if (mark === '$RegExp') made = Object.assign(new RegExp(first, parts[1]), { lastIndex: parts[2] });
      requireSame(parts, take(mark, made)!);
      return made;
  }
  return isError(mark) ? makeError(mark, parts, empty) : makeBinary(mark, parts);
}
