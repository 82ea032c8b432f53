import { notCloneable } from '../core/clone-error.ts';
import { ownProperty } from '../core/own-property.ts';
import { HIDDEN } from '../core/path.ts';
import { apart, builtIn, bytesOf, collection, eachPair, integer, refuseImpostor, requirePart, text } from './parts.ts';
import type { Row } from './row.ts';

// Types of the language.

/** The largest `maxByteLength` of a resizable buffer. Engines reserve addresses for it, not memory. */
const MAX_RESERVED_BYTES = 1_073_741_824;

/**
 * The number of objects that a resizable buffer counts as besides those of a fixed one. It takes a page of memory and
 * two mappings. Linux gives a process 65,530 of them, and V8 ends a process that gets no more.
 */
const RESIZABLE_WEIGHT = 59;

/** The index in `HIDDEN` of the first property that only a `SuppressedError` has. */
const FIRST_OF_SUPPRESSED = 5;

/**
 * Creates the rows of the error classes. Their parts are the number of non-enumerable properties, the names and values
 * of those, and the names and values of the enumerable properties.
 */
const errors = (): Row[] =>
  'Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError'.split(' ').map(
    (name): Row => ({
      name,
      weight: 4,
      parts(error, { options: { errorStacks } }) {
        // A stack that was assigned may be enumerable.
        const shown = Object.keys(error).filter((key) => key !== 'stack' || errorStacks);
        const pairs: unknown[] = [];
        HIDDEN.forEach((key, at) => {
          if (shown.includes(key) || (key === 'stack' && !errorStacks)) return;
          const value = error[key];
          // Values from a class count too, but not its name, the empty message of all errors, and what all objects have.
          const isGiven = at < FIRST_OF_SUPPRESSED && value !== '' && value !== Reflect.get(Object.prototype, key);
          if (key === 'name' ? value !== name : isGiven || Object.hasOwn(error, key)) pairs.push(key, value);
        });
        return [pairs.length / 2, ...pairs, ...shown.flatMap((key) => [key, error[key]])];
      },
      empty() {
        // The stack captured here would be of no use, and capturing it takes longer than everything else.
        const { stackTraceLimit } = Error as { stackTraceLimit?: number };
        // `Reflect.set` does not throw if `Error` is frozen.
        Reflect.set(Error, 'stackTraceLimit', 0);
        const error = new (builtIn(name))(name === 'AggregateError' ? [] : undefined);
        Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
        return error;
      },
      make(parts, _to, into) {
        // Replaces the new stack, which would show functions of the decoder.
        ownProperty(into, 'stack', '', false);
        const hidden = integer(parts[0]) * 2;
        requirePart(hidden < parts.length);
        eachPair(parts, 1, (key, value, at) => {
          ownProperty(into, text(key), value, at > hidden);
        });
        // Only a SuppressedError has a non-enumerable `suppressed`. If the runtime has the class, the error becomes an
        // instance of it and takes its name from it.
        if (name === 'Error' && Object.hasOwn(into, 'suppressed') && !Object.keys(into).includes('suppressed')) {
          const { prototype } = builtIn('SuppressedError') ?? Error;
          if (into.name === prototype.name) delete into.name;
          Object.setPrototypeOf(into, prototype);
        }
        // To make text of other messages would call what came with them.
        into.stack ||=
          typeof into.message === 'string' && typeof into.name === 'string'
            ? Error.prototype.toString.call(into)
            : name;
      },
      // An error of an unknown class is encoded as its nearest known ancestor. Names match errors of another realm.
      nearest: (error, rows) =>
        // Older versions of Hermes have no AggregateError. Map stands in for it, because no error is a Map.
        rows.findLast((row) => row.nearest && (error.name === row.name || error instanceof (builtIn(row.name) ?? Map))),
    }),
  );

function checkAttached(buffer: ArrayBuffer, owner: object): void {
  if (buffer.detached) throw notCloneable(owner, 'detached buffers');
}

/**
 * Creates the rows of the views. A view is encoded with its whole buffer if other objects of the value use that buffer,
 * and with only the bytes it shows otherwise. Instances of subclasses, such as Node's pooled Buffer, never include
 * their buffer.
 */
const views = (): Row[] =>
  'Uint8Array Int8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array DataView'
    .split(' ')
    .filter(builtIn)
    .map(
      (name): Row => ({
        name,
        weight: 5,
        parts: (view, from) =>
          refuseImpostor(view, () => {
            const { buffer } = view;
            checkAttached(buffer, view);
            const { byteOffset, byteLength } = view;
            // The length is also 0 if the buffer became too short for the view. Methods of such a view throw.
            if (byteLength === 0) view.at?.(0);
            const { prototype, BYTES_PER_ELEMENT: size = 1 } = builtIn(name);
            // A view does not tell whether it follows the length of its buffer. This assumes that a view up to the end
            // of a resizable buffer does.
            const follows = buffer.resizable && buffer.byteLength - byteOffset - byteLength < size;
            return Object.getPrototypeOf(view) === prototype && (from.shares(buffer) || follows)
              ? [buffer, byteOffset, follows ? undefined : byteLength / size]
              : [new Uint8Array(buffer, byteOffset, byteLength)];
          }),
        make(parts) {
          const [of, byteOffset, length] = parts;
          if (parts.length === 1) return new (builtIn(name))(bytesOf(of).buffer);
          // Otherwise the constructors would take a number as a length, or an array as elements.
          requirePart(parts.length === 3 && of instanceof ArrayBuffer);
          return new (builtIn(name))(of, integer(byteOffset), length === undefined ? length : integer(length));
        },
      }),
    );

/** Creates the rows of the types of the language. */
export const common = (): Row[] => [
  collection('Map', 1, (map, parts) => eachPair(parts, 0, map.set.bind(map))),
  collection('Set', 1, (set, parts) => parts.forEach(set.add, set)),
  {
    name: 'Date',
    parts: (date) => apart(date, () => [Date.prototype.getTime.call(date)]),
    make([time, ...others]) {
      requirePart(others.length === 0 && typeof time === 'number');
      const date = new Date(time);
      // The time differs if it was out of range, or not a whole number of milliseconds.
      requirePart(Object.is(date.getTime(), time));
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
        if (!buffer.resizable) return [bytes];
        from.count(RESIZABLE_WEIGHT);
        return [bytes, buffer.maxByteLength];
      }),
    make([bytes, maxByteLength, ...others], to) {
      const fixed = bytesOf(bytes).buffer;
      requirePart(others.length === 0);
      if (maxByteLength === undefined) return fixed;
      requirePart(integer(maxByteLength) <= MAX_RESERVED_BYTES);
      to.count(RESIZABLE_WEIGHT);
      const buffer = new ArrayBuffer(fixed.byteLength, { maxByteLength });
      new Uint8Array(buffer).set(bytes);
      return buffer;
    },
  },
  ...errors(),
  ...views(),
];
