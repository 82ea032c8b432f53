import { malformed } from '../clone-error.ts';
import { ownProperty } from '../own-property.ts';
import type { Sink, Source } from './type-handler.ts';

/** On the wire an error's class is its place in this list: append only. A class that is not here travels as its nearest ancestor that is. */
const CLASSES = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError];

/** Properties of errors that are text. */
const TEXTS = ['name', 'message', 'stack'];
/** Properties that are not enumerable on errors. */
const HIDDEN = [...TEXTS, 'cause', 'errors'];

export function writeError(error: Error, sink: Sink): void {
  // By name where the error is of another realm, as native structuredClone does.
  const index = Math.max(
    0,
    CLASSES.findLastIndex((known) => error instanceof known || error.name === known.name),
  );
  const keys = HIDDEN.filter((key) => {
    if (key === 'stack') return sink.errorStacks;
    return key in error && (key !== 'name' || error.name !== CLASSES[index].name);
  });
  keys.push(...Object.keys(error).filter((key) => !HIDDEN.includes(key)));
  sink.value(index);
  sink.value(keys.length);
  for (const key of keys) {
    sink.value(key);
    const value = error[key as keyof Error];
    sink.value(TEXTS.includes(key) ? `${value}` : value);
  }
}

export function readError(source: Source): Error {
  const reserved = source.reserve();
  const index = source.integer(CLASSES.length - 1);
  const constructor = CLASSES[index] as new (first?: unknown) => Error;
  // AggregateError's first argument is its errors.
  const error = source.define(reserved, new constructor(index === 7 ? [] : undefined));
  // The stack that it has now would show the decoder's frames.
  ownProperty(error, 'stack', '', false);
  for (let left = source.count(); left > 0; left--) {
    const key = source.string();
    const value = source.value();
    if (TEXTS.includes(key) && typeof value !== 'string') throw malformed(key);
    ownProperty(error, key, value, !HIDDEN.includes(key));
  }
  error.stack ||= Error.prototype.toString.call(error);
  return error;
}
