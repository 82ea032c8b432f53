import { malformed } from '../clone-error.ts';
import { ownProperty } from '../own-property.ts';
import type { Sink, Source } from './type-handler.ts';

/** On the wire an error's class is its place in this list: append only. A class that is not here travels as its nearest ancestor that is. */
const CLASSES = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError];

/** Properties that are not enumerable on errors, in the order they travel; the first three are text. */
const HIDDEN = ['name', 'message', 'stack', 'cause', 'errors'];

export function writeError(error: Error, sink: Sink): void {
  const index = classIndexOf(error);
  const keys = HIDDEN.filter((key) => {
    if (key === 'stack') return sink.errorStacks;
    if (key === 'name') return error.name !== CLASSES[index].name;
    return Object.hasOwn(error, key) || (key === 'message' && error.message !== '');
  });
  keys.push(...Object.keys(error).filter((key) => !HIDDEN.includes(key)));
  sink.value(index);
  sink.value(keys.length);
  for (const key of keys) {
    sink.value(key);
    const value = error[key as keyof Error];
    sink.value(isText(key) ? `${value}` : value);
  }
}

export function readError(source: Source): Error {
  const reserved = source.reserve();
  const index = source.integer(CLASSES.length - 1);
  const constructor = CLASSES[index] as new (first?: unknown) => Error;
  // AggregateError's first argument is its errors.
  const error = source.define(reserved, new constructor(index === 7 ? [] : undefined));
  let hasStack = false;
  for (let left = source.count(); left > 0; left--) {
    const key = source.string();
    const value = source.value();
    if (isText(key) && typeof value !== 'string') throw malformed(key);
    hasStack ||= key === 'stack';
    ownProperty(error, key, value, !HIDDEN.includes(key));
  }
  // Without one of its own, its stack would show the decoder's frames.
  if (!hasStack) ownProperty(error, 'stack', Error.prototype.toString.call(error), false);
  return error;
}

function isText(key: string): boolean {
  return HIDDEN.slice(0, 3).includes(key);
}

/** Finds the nearest built-in class by the names on the prototypes, which works across realms too. */
function classIndexOf(error: Error): number {
  for (let prototype = error; prototype; prototype = Object.getPrototypeOf(prototype)) {
    const index = CLASSES.findIndex(({ name }) => Object.hasOwn(prototype, 'constructor') && prototype.name === name);
    if (index >= 0) return index;
  }
  return 0;
}
