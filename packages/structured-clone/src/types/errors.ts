import { builtIn, eachPair, integer, ownProperty, type Row, requirePart, row, stepTo } from '../types.ts';

/**
 * Returns the row of a class of errors. Its parts are the number of non-enumerable properties, the names and values of
 * those, and the names and values of the enumerable properties.
 */
export function errorRow(mark: string): Row | undefined {
  if (!/^\$(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/.test(mark)) return undefined;
  const Class = builtIn(mark) ?? Error;
  return row(
    4,
    (error, { writing: { stacks } }) => {
      // A stack that was assigned may be enumerable.
      const shown = Object.keys(error).filter((key) => key !== 'stack' || stacks);
      const parts: unknown[] = [0];
      // Properties that may be non-enumerable: the texts, those that a class may provide, and those that only a
      // `SuppressedError` has.
      for (const key of ['name', 'message', 'stack', 'cause', 'errors', 'error', 'suppressed']) {
        if (shown.includes(key) || (key === 'stack' && !stacks)) continue;
        const value = error[key];
        // What a class gives counts too.
        if (Object.hasOwn(error, key) || value !== Class.prototype[key]) parts.push(key, value);
      }
      parts[0] = parts.length >> 1;
      for (const key of shown) parts.push(key, error[key]);
      return parts;
    },
    (parts, error) => {
      let hidden = integer(parts[0]);
      requirePart(2 * hidden < parts.length);
      eachPair(parts, 1, (key, value) => ownProperty(error, key, value, --hidden < 0));
      // Only a SuppressedError has a non-enumerable `suppressed`. If the runtime has the class, the error becomes an
      // instance of it and takes its name from it.
      if (mark === '$Error' && Object.getOwnPropertyDescriptor(error, 'suppressed')?.enumerable === false) {
        const { prototype } = builtIn('$SuppressedError') ?? Error;
        if (error.name === prototype.name) delete error.name;
        Object.setPrototypeOf(error, prototype);
      }
      // To make text of other messages would call what came with them.
      const isText = [error.name, error.message].every((text) => typeof text === 'string');
      error.stack ||= isText ? Error.prototype.toString.call(error) : mark.slice(1);
      return error;
    },
    () => {
      // The stack captured here would be of no use, and capturing it takes longer than everything else.
      const { stackTraceLimit } = Error as { stackTraceLimit?: number };
      // `Reflect.set` does not throw if `Error` is frozen.
      Reflect.set(Error, 'stackTraceLimit', 0);
      const error = new Class(mark === '$AggregateError' ? [] : undefined);
      Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
      // It would show functions of the decoder.
      ownProperty(error, 'stack', '', false);
      return error;
    },
    (parts, at) => stepTo(parts[at - 1]),
    true,
  );
}
