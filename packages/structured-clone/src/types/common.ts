import { notCloneable } from '../core/clone-error.ts';
import { ownProperty } from '../core/own-property.ts';
import { HIDDEN } from '../core/path.ts';
import { apart, builtIn, bytesOf, collection, eachPair, honest, integer, must, text } from './parts.ts';
import type { Row } from './row.ts';

// The types of the language.

/** The most that a resizable buffer may ask for. Engines reserve addresses for it, not memory. */
const MAX_RESERVED_BYTES = 1_073_741_824;

/** Properties of errors that are text. */
const TEXTS = ['name', 'message', 'stack'];
/** The first in the list of properties that only a `SuppressedError` has. */
const FIRST_OF_SUPPRESSED = 5;

/** Parts of an error: the number of its properties that are not enumerable; those; and all that are. */
const errors = (): Row[] =>
  ',Eval,Range,Reference,Syntax,Type,URI,Aggregate'.split(',').map((kind): Row => {
    const name = `${kind}Error`;
    return {
      name,
      weight: 4,
      parts(error, { options: { errorStacks } }) {
        // A stack that was set may be enumerable.
        const shown = Object.keys(error).filter((key) => key !== 'stack' || errorStacks);
        const hidden = HIDDEN.filter((key, at) => {
          if (!(key in error) || shown.includes(key)) return false;
          if (key === 'stack') return errorStacks;
          if (key === 'name') return error.name !== name;
          // All errors inherit an empty message.
          return Object.hasOwn(error, key) || (at < FIRST_OF_SUPPRESSED && error[key] !== '');
        });
        const pairs = [...hidden, ...shown].flatMap((key) => [key, TEXTS.includes(key) ? `${error[key]}` : error[key]]);
        return [hidden.length, ...pairs];
      },
      empty() {
        // The stack that an error has from here is of no use, and takes longer to find than all the rest.
        const { stackTraceLimit } = Error as { stackTraceLimit?: number };
        // Where errors are frozen, it stays as it is.
        Reflect.set(Error, 'stackTraceLimit', 0);
        const error = name === 'AggregateError' ? new AggregateError([]) : new (builtIn(name))();
        Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
        return error;
      },
      make(parts, _to, into) {
        // The stack that it has now would show the decoder's frames.
        ownProperty(into, 'stack', '', false);
        const hidden = integer(parts[0]) * 2;
        must(hidden < parts.length);
        eachPair(parts, 1, (key, value, at) => {
          ownProperty(into, text(key), TEXTS.includes(key as string) ? text(value) : value, at > hidden);
        });
        // A SuppressedError is no more than that, where there is the class, which gives it its name.
        if (name === 'Error' && 'suppressed' in into && !Object.keys(into).includes('suppressed')) {
          const { prototype } = builtIn('SuppressedError') ?? Error;
          if (into.name === prototype.name) delete into.name;
          Object.setPrototypeOf(into, prototype);
        }
        into.stack ||= Error.prototype.toString.call(into);
      },
      // A class that is not here travels as its nearest ancestor that is; by name where the error is of another realm.
      nearest: (error, rows) =>
        // No error is a Map: older versions of Hermes have no AggregateError.
        rows.findLast((row) => row.nearest && (error.name === row.name || error instanceof (builtIn(row.name) ?? Map))),
    };
  });

function checkAttached(buffer: ArrayBuffer, owner: object): void {
  if (buffer.detached) throw notCloneable(owner, 'detached buffers');
}

/**
 * A view comes with its whole buffer where other objects of the value use that, else with no more than the bytes it
 * shows. Subclasses, such as Node's pooled Buffer, never bring their buffer.
 */
const views = (): Row[] =>
  'Uint8,Int8,Uint8Clamped,Int16,Uint16,Int32,Uint32,Float16,Float32,Float64,BigInt64,BigUint64'
    .split(',')
    .map((kind) => `${kind}Array`)
    .concat('DataView')
    .filter(builtIn)
    .map(
      (name): Row => ({
        name,
        weight: 5,
        parts: (view, from) =>
          honest(view, () => {
            const { buffer } = view;
            checkAttached(buffer, view);
            const { byteOffset, byteLength } = view;
            // Which a view that its buffer has become too short for has, too; its methods throw.
            if (byteLength === 0) view.at?.(0);
            const { prototype, BYTES_PER_ELEMENT: size = 1 } = builtIn(name);
            // Nothing tells whether a view follows the length of its buffer; one to the end of a buffer that can grow is taken to.
            const follows = buffer.resizable && buffer.byteLength - byteOffset - byteLength < size;
            return Object.getPrototypeOf(view) === prototype && (from.shares(buffer) || follows)
              ? [buffer, byteOffset, follows ? undefined : byteLength / size]
              : [new Uint8Array(buffer, byteOffset, byteLength)];
          }),
        make(parts) {
          const [of, byteOffset, length] = parts;
          if (parts.length === 1) return new (builtIn(name))(bytesOf(of).buffer);
          // Else the constructors would take a number for a length, or an array for elements.
          must(parts.length === 3 && of instanceof ArrayBuffer);
          return new (builtIn(name))(of, integer(byteOffset), length === undefined ? length : integer(length));
        },
      }),
    );

/** Makes the rows of the types of the language. */
export const common = (): Row[] => [
  collection('Map', 1, (map, parts) => eachPair(parts, 0, map.set.bind(map))),
  collection('Set', 1, (set, parts) => parts.forEach(set.add, set)),
  {
    name: 'Date',
    parts: (date) => apart(date, () => [Date.prototype.getTime.call(date)]),
    make([time, ...others]) {
      must(others.length === 0 && typeof time === 'number');
      const date = new Date(time);
      // It is another where it was out of range, or between two milliseconds.
      must(Object.is(date.getTime(), time));
      return date;
    },
  },
  {
    name: 'ArrayBuffer',
    weight: 5,
    parts: (buffer, from) =>
      apart(buffer, () => {
        from.shares(buffer);
        if (buffer.resizable && buffer.maxByteLength > MAX_RESERVED_BYTES) {
          throw notCloneable(buffer, 'buffers that may exceed 1 GiB');
        }
        checkAttached(buffer, buffer);
        const bytes = new Uint8Array(buffer);
        return buffer.resizable ? [bytes, buffer.maxByteLength] : [bytes];
      }),
    make([bytes, maxByteLength, ...others]) {
      const fixed = bytesOf(bytes).buffer;
      must(others.length === 0);
      if (maxByteLength === undefined) return fixed;
      must(integer(maxByteLength) <= MAX_RESERVED_BYTES);
      const buffer = new ArrayBuffer(fixed.byteLength, { maxByteLength });
      new Uint8Array(buffer).set(bytes);
      return buffer;
    },
  },
  ...errors(),
  ...views(),
];
