import type { Taking } from '../write.ts';
import { builtIn, eachPair, integer, ownProperty, requirePart } from './types.ts';

/**
 * Properties of errors that may be non-enumerable: the texts, those that a class may provide, and those that only a
 * `SuppressedError` has.
 */
export const HIDDEN = ['name', 'message', 'stack', 'cause', 'errors', 'error', 'suppressed'];
/** The marks of the errors of the language. */
const ERRORS = /^\$(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/;

/**
 * Takes an error apart: into the number of non-enumerable properties, the names and values of those, and the names and
 * values of the enumerable properties.
 */
// biome-ignore lint/suspicious/noExplicitAny: an error
export function takeError(mark: string, error: any, { writing: { stacks } }: Taking): unknown[] | undefined {
  if (mark === '$DOMException') return [error.message, error.name, ...(stacks ? [error.stack] : [])];
  if (!ERRORS.test(mark)) return undefined;
  // A stack that was assigned may be enumerable.
  const shown = Object.keys(error).filter((key) => key !== 'stack' || stacks);
  const inherited = (builtIn(mark) ?? Error).prototype;
  const parts: unknown[] = [0];
  for (const key of HIDDEN) {
    if (shown.includes(key) || (key === 'stack' && !stacks)) continue;
    try {
      const value = error[key];
      // What a class gives counts too.
      if (Object.hasOwn(error, key) || value !== inherited[key]) parts.push(key, value);
    } catch (thrown) {
      // Engines may make a stack only when it is read, and fail if the message is no text.
      if (key !== 'stack') throw thrown;
    }
  }
  parts[0] = parts.length >> 1;
  for (const key of shown) parts.push(key, error[key]);
  return parts;
}

/** Returns an error with a stack that tells nothing. */
export function emptyError(mark: string): Error | undefined {
  if (!ERRORS.test(mark)) return undefined;
  // The stack captured here would be of no use, and capturing it takes longer than everything else.
  const { stackTraceLimit } = Error as { stackTraceLimit?: number };
  // `Reflect.set` does not throw if `Error` is frozen.
  Reflect.set(Error, 'stackTraceLimit', 0);
  const error = new (builtIn(mark) ?? Error)(mark === '$AggregateError' ? [] : undefined);
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  // It would show functions of the decoder.
  ownProperty(error, 'stack', '', false);
  return error;
}

// biome-ignore lint/suspicious/noExplicitAny: an error
export function makeError(mark: string, parts: any[], error: any): object | undefined {
  if (mark === '$DOMException') {
    requirePart(parts.length < 4 && parts.every((part) => typeof part === 'string'));
    const exception = new DOMException(parts[0], parts[1]);
    ownProperty(exception, 'stack', parts[2] ?? `${exception}`, false);
    return exception;
  }
  if (!error) return undefined;
  let hidden = integer(parts[0]);
  requirePart(2 * hidden < parts.length);
  eachPair(parts, 1, (key, value) => ownProperty(error, key, value, --hidden < 0));
  // Only a SuppressedError has a non-enumerable `suppressed`. If the runtime has the class, the error becomes an
  // instance of it and takes its name from it.
  if (mark === '$Error' && Object.hasOwn(error, 'suppressed') && !Object.keys(error).includes('suppressed')) {
    const { prototype } = builtIn('$SuppressedError') ?? Error;
    if (error.name === prototype.name) delete error.name;
    Object.setPrototypeOf(error, prototype);
  }
  // To make text of other messages would call what came with them.
  const { name, message } = error;
  if (typeof name !== 'string' || typeof message !== 'string') error.stack ||= mark.slice(1);
  error.stack ||= Error.prototype.toString.call(error);
  return error;
}
