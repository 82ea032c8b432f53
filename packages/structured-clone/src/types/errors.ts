import { builtIn, eachPair, integer, ownProperty, type Row, requirePart, stepTo } from '../types.ts';

/**
 * Properties of errors that may be non-enumerable: the texts, those that a class may provide, and those that only a
 * `SuppressedError` has.
 */
export const HIDDEN = ['name', 'message', 'stack', 'cause', 'errors', 'error', 'suppressed'];

/**
 * Returns the row of a class of errors. Its parts are the number of non-enumerable properties, the names and values of
 * those, and the names and values of the enumerable properties.
 */
export function errorRow(mark: string): Row | undefined {
  if (!/^\$(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/.test(mark)) return undefined;
  return {
    weigh: () => 4,
    take(error, state) {
      const { stacks } = state!.writing;
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
    },
    stepTo: (parts, at) => stepTo(parts[at - 1] as string),
    empty() {
      // The stack captured here would be of no use, and capturing it takes longer than everything else.
      const { stackTraceLimit } = Error as { stackTraceLimit?: number };
      // `Reflect.set` does not throw if `Error` is frozen.
      Reflect.set(Error, 'stackTraceLimit', 0);
      const error = new (builtIn(mark) ?? Error)(mark === '$AggregateError' ? [] : undefined);
      Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
      // It would show functions of the decoder.
      ownProperty(error, 'stack', '', false);
      return error;
    },
    make(parts, error) {
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
    },
    hasOwn: true,
  };
}
