import { builtIn, describe, ownProperty, type Row, refuse, requirePart, row, type Taking } from '../types.ts';

/** Returns the row of a type of the language that is rare in values; undefined for other marks. */
export function rareRow(mark: string): Row | undefined {
  switch (mark) {
    case '$RegExp':
      return record(
        5,
        (regexp, state) => {
          const { source, flags, lastIndex } = regexp;
          // Anything can be assigned to it.
          if (Object(lastIndex) === lastIndex) refuse(state, `lastIndex of ${describe(regexp)} that is no primitive`);
          return [source, flags, lastIndex];
        },
        (source, flags, lastIndex) => Object.assign(new RegExp(source, flags), { lastIndex }),
      );
    case '$Number':
    case '$String':
    case '$Boolean':
    case '$BigInt':
      return record(
        1,
        (box) => [builtIn(mark).prototype.valueOf.call(box)],
        Object,
        0,
        undefined,
        // The keys of a long string are not listed: their names would take a hundred times its memory.
        (box) => box.length > 10_000 || Object.keys(box).length === box.length,
      );
    case '$DOMException':
      return row(
        11,
        ({ message, name, stack }, { writing: { stacks } }) => (stacks ? [message, name, stack] : [message, name]),
        (parts) => {
          requirePart(parts.length < 4 && parts.every((part) => typeof part === 'string'));
          const exception = new DOMException(parts[0], parts[1]);
          // Replaces the new stack, which would show functions of the decoder.
          ownProperty(exception, 'stack', parts[2] ?? `${exception}`, false);
          return exception;
        },
        undefined,
        undefined,
        // Some platforms define some on every exception.
        true,
      );
  }
  return undefined;
}

/**
 * Creates the row of a class whose instances are made of primitives, but for a number of parts at the end, which
 * `takeOthers` takes and `make` checks. Constructors convert their arguments, and parts that need a conversion were not
 * written: so what is made has to be taken apart into the same primitives again.
 */
export function record(
  weight: number,
  take: Row['take'],
  // biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
  make: (...parts: any[]) => object,
  others = 0,
  takeOthers?: Row['take'],
  mayOwn?: Row['mayOwn'],
): Row {
  return row(
    weight,
    (value, state) => [...take(value, state), ...(takeOthers?.(value, state) ?? [])],
    (parts) => {
      const primitives = others ? parts.slice(0, -others) : parts;
      for (const part of primitives) requirePart(Object(part) !== part);
      const made = make(...parts);
      const taken = take(made, undefined as unknown as Taking);
      requirePart(taken.length === primitives.length);
      for (let at = 0; at < taken.length; at++) requirePart(Object.is(taken[at], parts[at]));
      return made;
    },
    undefined,
    undefined,
    mayOwn,
  );
}
