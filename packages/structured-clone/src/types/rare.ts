import { describe, Refusal } from '../clone-error.ts';
import { builtIn, ownProperty, type Row, requirePart } from '../types.ts';

/** Returns the row of a type of the language that is rare in values; undefined for other marks. */
export function rareRow(mark: string): Row | undefined {
  switch (mark) {
    case '$RegExp':
      return record(5, takeRegExp, (source, flags, lastIndex) =>
        Object.assign(new RegExp(source, flags), { lastIndex }),
      );
    case '$Number':
    case '$String':
    case '$Boolean':
    case '$BigInt':
      return record(1, (box) => [builtIn(mark).prototype.valueOf.call(box)], Object);
    case '$DOMException':
      return exceptionRow;
  }
  return undefined;
}

function takeRegExp(regexp: RegExp): unknown[] {
  const { source, flags, lastIndex } = regexp;
  // Anything can be assigned to it.
  if (Object(lastIndex) === lastIndex) {
    throw new Refusal(regexp, `lastIndex of ${describe(regexp)} that is no primitive`);
  }
  return [source, flags, lastIndex];
}

const exceptionRow: Row = {
  weigh: () => 11,
  take: (error, state) => [error.message, error.name, ...(state!.writing.stacks ? [error.stack] : [])],
  make(parts) {
    requirePart(parts.length < 4 && parts.every((part) => typeof part === 'string'));
    const exception = new DOMException(parts[0], parts[1]);
    // Replaces the new stack, which would show functions of the decoder.
    ownProperty(exception, 'stack', parts[2] ?? `${exception}`, false);
    return exception;
  },
  // Some platforms define some on every exception.
  hasOwn: true,
};

/**
 * Creates the row of a class whose instances are made of primitives, but for a number of parts at the end, which `make`
 * checks. Constructors convert their arguments, and parts that need a conversion were not written: so what is made has
 * to be taken apart into the same primitives again.
 */
export function record(
  weight: number,
  take: Row['take'],
  // biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
  make: (...parts: any[]) => object,
  others = 0,
  takeOthers?: Row['take'],
): Row {
  return {
    weigh: () => weight,
    take: (value, state) => (takeOthers ? [...take(value), ...takeOthers(value, state)] : take(value)),
    make(parts) {
      const primitives = parts.slice(0, parts.length - others);
      requirePart(!primitives.some((part) => Object(part) === part));
      const made = make(...parts);
      const taken = take(made);
      requirePart(taken.length === primitives.length && taken.every((part, at) => Object.is(part, primitives[at])));
      return made;
    },
  };
}
