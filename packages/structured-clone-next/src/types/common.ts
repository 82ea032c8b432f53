import type { Writing } from '../write.ts';
import { makeBinary, takeBinary } from './binary.ts';
import { emptyError, makeError, takeError } from './errors.ts';
import { builtIn, eachPair, fieldsOf, isErrorName, itemsOf, requirePart, requireSame, type Types } from './types.ts';

/** The types of the language. */
export const common: Types = { weigh, take, empty, make };

function weigh(name: string, parts: readonly unknown[]): number {
  const step = name === 'Set' ? 1 : 2;
  if (name === 'Map' || name === 'Set') {
    // Of a bigint, V8 hashes only the lowest 64 bits. Many that differ only beyond these take quadratic time as keys.
    const isLarge = (key: unknown, at: number) =>
      typeof key === 'bigint' && at % step === 0 && BigInt.asIntN(64, key) !== key;
    return 1 + 32 * parts.filter(isLarge).length;
  }
  if (name === 'DOMException') return 11;
  // A resizable buffer takes a page of memory and two mappings. Linux gives a process 65,530 of them, and V8 ends a
  // process that gets no more.
  if (name === 'ArrayBuffer') return parts.length > 1 ? 64 : 5;
  return isErrorName(name) ? 4 : /RegExp|.Array|View/.test(name) ? 5 : 1;
}

function take(
  name: string,
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
  value: any,
  writing: Pick<Writing, 'stacks'>,
  isShared: (buffer: object) => boolean,
): unknown[] | undefined {
  switch (name) {
    case 'Map':
    case 'Set':
      return itemsOf(name, value);
    case 'Date':
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
      return [builtIn(name).prototype.valueOf.call(value)];
    case 'RegExp':
      return fieldsOf(value, 'source', 'flags', 'lastIndex');
  }
  return isErrorName(name) ? takeError(name, value, writing) : takeBinary(name, value, isShared);
}

function empty(name: string): object | undefined {
  return name === 'Map' || name === 'Set' ? new (builtIn(name))() : emptyError(name);
}

// biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
function make(name: string, parts: any[], empty: any): object | undefined {
  const [first, flags, lastIndex] = parts;
  let made: object;
  switch (name) {
    case 'Map':
      eachPair(parts, 0, (key, value) => empty.set(key, value));
      return empty;
    case 'Set':
      parts.forEach(empty.add, empty);
      return empty;
    case 'Date':
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
    case 'RegExp':
      requirePart(!parts.some((part) => Object(part) === part));
      made = name === 'Date' ? new Date(first) : Object(first);
      if (name === 'RegExp') made = Object.assign(new RegExp(first, flags), { lastIndex });
      requireSame(parts, take(name, made, {}, Boolean)!);
      return made;
  }
  return isErrorName(name) ? makeError(name, parts, empty) : makeBinary(name, parts);
}
