import { describe, malformed, notAccepted, notCloneable } from '../core/clone-error.ts';
import { checkLimit } from '../core/limits.ts';
import { ownProperty } from '../core/own-property.ts';
import {
  apart,
  builtIn,
  bytesOf,
  collection,
  eachPair,
  type Field,
  integer,
  record,
  refuseImpostor,
  requirePart,
  text,
} from './parts.ts';
import type { DecodeContext, EncodeContext, Row } from './row.ts';

// Web types, and language types that few values hold.

/**
 * Returns an address as the platform writes it, which is without other characters. To convert a host that has thousands
 * of them takes quadratic time.
 */
function ascii(address: string): string {
  requirePart(/^[ -~]*$/.test(address));
  return address;
}

/** Appends pairs of names and values to a collection. */
// biome-ignore lint/suspicious/noExplicitAny: a collection with such a method
const append = (into: any, parts: unknown[]) =>
  eachPair(parts, 0, (name, value) => {
    // Only a FormData also holds Files. It would make one of a Blob, for each reference to it.
    into.append(text(name), value instanceof File && into instanceof FormData ? value : text(value));
  });

/** The length of the longest boxed string whose keys are listed. */
const MAX_LISTED = 10_000;

const boxes = (): Row[] =>
  ['Number', 'String', 'Boolean', 'BigInt'].map(
    (name): Row => ({
      name,
      parts(box) {
        const take = () => [builtIn(name).prototype.valueOf.call(box)];
        const own = name === 'String' ? box.length : 0;
        // Each of its characters is a property, too, and their names would take a hundred times its memory.
        return own > MAX_LISTED ? refuseImpostor(box, take) : apart(box, take, own);
      },
      make(parts) {
        requirePart(parts.length === 1 && typeof parts[0] === name.toLowerCase());
        return Object(parts[0]);
      },
    }),
  );

/** The bytes of a body. They come from the `bodies` option, because no property holds them. */
const body: Field = {
  take(holder, { options: { bodies } }) {
    const { body: stream, method } = holder;
    if (holder.status < 200) throw notCloneable(holder, `responses of status ${holder.status}`);
    // A request in Firefox has no `body` property. GET and HEAD requests never have a body.
    if (stream === null || method === 'GET' || method === 'HEAD') return null;
    const read = bodies?.get(holder);
    if (!read) throw notCloneable(holder, `${describe(holder)} that readBodies has not read`);
    return method && stream === undefined && read.length === 0 ? null : read;
  },
  fits: (part) => part === null || part instanceof Uint8Array,
};

const copied = new WeakSet<object>();
/**
 * Headers of one request or response. Without this check, many objects could refer to the same large Headers for a few
 * bytes each.
 */
const headers: Field = { fits: (part) => part instanceof Headers && !copied.has(part) && copied.add(part).has(part) };

function isText(part: unknown): boolean {
  return typeof part === 'string';
}

/** Returns the blob if it has this type, and throws otherwise. Bun adds a charset to the types of texts. */
function ofType(blob: Blob, type: string): Blob {
  if (blob.type !== type && blob.type !== `${type};charset=utf-8`) throw malformed('type');
  return blob;
}
const type: Field = {
  // Constructors write it in small letters; workerd gives the Blob of a request the type as it was sent.
  take: ({ type }) => type.toLowerCase(),
  fits: isText,
};

/** The fields of a `Temporal.Duration`. Its own text would turn a thousand milliseconds into a second. */
const UNITS =
  /* @__PURE__ */ 'years months weeks days hours minutes seconds milliseconds microseconds nanoseconds'.split(' ');

/** Adds the holes of an array to those of its value. Throws if the value then exceeds `maxHoles`. */
function countHoles(length: number, parts: number, counts: EncodeContext | DecodeContext): void {
  // The parts are the length, and the key and the item of every property.
  counts.holes += Math.max(length - (parts - 1) / 2, 0);
  checkLimit('maxHoles', counts.holes, counts.limits);
}

/** Creates the rows of the web types. */
export const web = (): Row[] => [
  {
    // Arrays with holes or named properties. All other arrays are plain data.
    name: 'Array',
    parts(array, from) {
      const parts = [array.length, ...Object.entries(array).flat()];
      countHoles(array.length, parts.length, from);
      return parts;
    },
    empty: () => [],
    make(parts, to, into) {
      const length = integer(parts[0]);
      countHoles(length, parts.length, to);
      into.length = length;
      eachPair(parts, 1, (key, value) => {
        // An item beyond the length would change the length, and so would a property named `length`.
        requirePart(key !== 'length' && ownProperty(into, text(key), value) && into.length === length);
      });
    },
  },
  record('RegExp', 5, ['source', 'flags', 'lastIndex'], (source, flags, lastIndex) =>
    Object.assign(new RegExp(source, flags), { lastIndex }),
  ),
  ...boxes(),
  {
    name: 'DOMException',
    weight: 11,
    // Own properties are not refused here: some platforms define some on every exception.
    parts: (exception, { options: { errorStacks } }) =>
      refuseImpostor(exception, () => [exception.message, exception.name, ...(errorStacks ? [exception.stack] : [])]),
    make([message, name, stack, ...others]) {
      requirePart(others.length === 0);
      const exception = new DOMException(text(message), text(name));
      // Replaces the new stack, which would show functions of the decoder.
      ownProperty(exception, 'stack', stack === undefined ? `${exception}` : text(stack), false);
      return exception;
    },
  },
  record('URL', 5, ['href'], (href) => new URL(ascii(href))),
  collection('URLSearchParams', 5, append),
  collection('Headers', 11, append),
  collection('FormData', 5, append),
  record(
    'Request',
    20,
    ['url', 'method', 'redirect', 'headers', 'body'],
    // Constructors also read inherited options. Without a prototype, `Object.prototype` cannot add any.
    (url, method, redirect, headers, body) =>
      new Request(ascii(url), { __proto__: null, method, redirect, headers, body } as RequestInit),
    { headers, body },
  ),
  record(
    'Response',
    16,
    ['status', 'statusText', 'headers', 'body'],
    (status, statusText, headers, body) =>
      new Response(body, { __proto__: null, status, statusText, headers } as ResponseInit),
    { headers, body },
  ),
  record('Blob', 16, ['type', 'body'], (type, body) => ofType(new Blob([bytesOf(body)], { type }), type), {
    type,
    body,
  }),
  record(
    'File',
    20,
    ['name', 'lastModified', 'type', 'body'],
    (name, lastModified, type, body) => ofType(new File([bytesOf(body)], name, { lastModified, type }), type),
    { type, body },
  ),
  record(
    'Temporal',
    4,
    ['class', 'text'],
    (name, said) => {
      const Temporal = builtIn('Temporal');
      if (!Temporal) throw notAccepted(`Temporal.${name}`, 'this engine has no Temporal');
      if (name === 'Duration') return new Temporal.Duration(...said.split(',').map(Number));
      try {
        return Temporal[name].from(said);
      } catch {
        // The offset decides if both sides have different rules for the time zone. This keeps the instant.
        return Temporal[name].from(said, { offset: 'use' });
      }
    },
    {
      class: { take: (value) => value[Symbol.toStringTag].slice('Temporal.'.length), fits: isText },
      text: {
        take: (value) => ('weeks' in value ? UNITS.map((unit) => value[unit]).join() : `${value}`),
        fits: isText,
      },
    },
  ),
];
