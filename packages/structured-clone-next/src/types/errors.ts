import type { Reader } from '../read.ts';
import { ownProperty, type Writer } from '../write.ts';
import { builtIn, eachPair, integer, requirePart, text } from './types.ts';

/**
 * Properties of errors that may be non-enumerable: the texts, those that a class may provide, and those that only a
 * `SuppressedError` has.
 */
export const HIDDEN = ['name', 'message', 'stack', 'cause', 'errors', 'error', 'suppressed'];
const isText = (key: unknown) => HIDDEN.indexOf(key as string) >>> 0 < 3;

/**
 * Takes an error apart: into the number of non-enumerable properties, the names and values of those, and the names and
 * values of the enumerable properties.
 */
// biome-ignore lint/suspicious/noExplicitAny: an error
export function takeError(name: string, error: any, to: Writer): unknown[] {
  const { stacks } = to.writing;
  if (name === 'DOMException') {
    to.count(10);
    // Own properties are not refused here: some platforms define some on every exception.
    return [error.message, error.name, ...(stacks ? [error.stack] : [])];
  }
  to.count(3);
  // A stack that was assigned may be enumerable.
  const shown = Object.keys(error).filter((key) => key !== 'stack' || stacks);
  const parts: unknown[] = [0];
  const add = (key: string, value: unknown) => {
    // A symbol has no text, and is refused with its path like any other.
    parts.push(key, isText(key) && typeof value !== 'symbol' ? `${value}` : value);
  };
  HIDDEN.forEach((key, at) => {
    if (!(key in error) || shown.includes(key) || (key === 'stack' && !stacks)) return;
    const value = error[key];
    // Inherited values count too, but not the empty message that all errors inherit.
    if (key === 'name' ? value !== name : at === 2 || Object.hasOwn(error, key) || (at < 5 && value !== ''))
      add(key, value);
  });
  parts[0] = (parts.length - 1) / 2;
  for (const key of shown) add(key, error[key]);
  return parts;
}

export function makeError(name: string, content: unknown[], from: Reader): object | undefined {
  const Class = builtIn(name);
  if (name === 'DOMException') {
    from.count(10);
    const [message, its, stack, ...others] = from.parts(content);
    requirePart(others.length === 0);
    const exception = new Class(text(message), text(its));
    // Replaces the new stack, which would show functions of the decoder.
    ownProperty(exception, 'stack', stack === undefined ? `${exception}` : text(stack), false);
    return exception;
  }
  from.count(3);
  // The stack captured here would be of no use, and capturing it takes longer than everything else.
  const { stackTraceLimit } = Error as { stackTraceLimit?: number };
  // `Reflect.set` does not throw if `Error` is frozen.
  Reflect.set(Error, 'stackTraceLimit', 0);
  const error = from.add(new Class(name === 'AggregateError' ? [] : undefined));
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  ownProperty(error, 'stack', '', false);
  const parts = from.list(content);
  const hidden = integer(parts[0]) * 2;
  requirePart(hidden < parts.length);
  eachPair(parts, 1, (key, value, at) => {
    ownProperty(error, text(key), isText(key) ? text(value) : value, at > hidden);
  });
  // Only a SuppressedError has a non-enumerable `suppressed`. If the runtime has the class, the error becomes an
  // instance of it and takes its name from it.
  if (name === 'Error' && 'suppressed' in error && !Object.keys(error).includes('suppressed')) {
    const { prototype } = builtIn('SuppressedError') ?? Error;
    if (error.name === prototype.name) delete error.name;
    Object.setPrototypeOf(error, prototype);
  }
  error.stack ||= Error.prototype.toString.call(error);
  return error;
}
