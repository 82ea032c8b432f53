import { notAccepted } from '../clone-error.ts';
import { explain } from '../explain.ts';
import { decodeInstance, encodeInstance } from '../registered.ts';
import {
  builtIn,
  describe,
  eachPair,
  itemsOf,
  type Row,
  refuse,
  requirePart,
  row,
  stepToItem,
  type Taking,
  type Types,
} from '../types.ts';
import { common } from './common.ts';
import { rareRow, record } from './rare.ts';

/** All types: those of the language, those of the web, and registered classes. */
export const all: Types = {
  find: (mark) => common.find(mark) ?? rareRow(mark) ?? find(mark),
  encode: encodeInstance,
  decode: decodeInstance,
  explain,
};

/** The fields of a `Temporal.Duration`. Its own text would turn a thousand milliseconds into a second. */
const UNITS = 'years months weeks days hours minutes seconds milliseconds microseconds nanoseconds';

function find(mark: string): Row | undefined {
  switch (mark) {
    case '$URL':
      return record(
        5,
        (url) => [url.href],
        (href) => new URL(ascii(href)),
      );
    case '$URLSearchParams':
    case '$FormData':
    case '$Headers':
      return row(
        mark === '$Headers' ? 11 : 5,
        (pairs) => itemsOf(mark, pairs),
        (parts, into) => {
          eachPair(parts, 0, (key, value) => {
            // Only a FormData also holds Files. It would make one of a Blob, for each reference to it.
            requirePart(
              typeof key === 'string' && (typeof value === 'string' || (mark === '$FormData' && value instanceof File)),
            );
            into.append(key, value);
          });
          return into;
        },
        () => new (builtIn(mark))(),
        stepToItem,
      );
    case '$Request':
      return record(
        20,
        (request) => [request.url, request.method, request.redirect],
        // Constructors also read inherited options. Without a prototype, `Object.prototype` cannot add any.
        (url, method, redirect, headers, body) =>
          new Request(ascii(url), { __proto__: null, method, redirect, ...carried(headers, body) } as RequestInit),
        2,
        (request, state) => [request.headers, bodyOf(request, state)],
      );
    case '$Response':
      return record(
        16,
        (response) => [response.status, response.statusText],
        (status, statusText, headers, body) =>
          new Response(body, { __proto__: null, status, statusText, ...carried(headers, body) } as ResponseInit),
        2,
        (response, state) => [response.headers, bodyOf(response, state)],
      );
    case '$Blob':
      return record(
        16,
        () => [],
        (type, body) => ofType(new Blob([bytes(body)], { type }), type),
        2,
        (blob, state) => [blob.type, bodyOf(blob, state)],
        mayOwnClass,
      );
    case '$File':
      return record(
        20,
        (file) => [file.name, file.lastModified],
        (name, lastModified, type, body) => ofType(new File([bytes(body)], name, { type, lastModified }), type),
        2,
        (file, state) => [file.type, bodyOf(file, state)],
        mayOwnClass,
      );
    case '$Temporal':
      return row(
        4,
        (value) => [
          value[Symbol.toStringTag].slice('Temporal.'.length),
          'weeks' in value ? `${UNITS.split(' ').map((unit) => value[unit])}` : `${value}`,
        ],
        ([name, said, ...others]) => {
          requirePart(typeof name === 'string' && typeof said === 'string' && others.length === 0);
          const Temporal = builtIn('$Temporal');
          if (!Temporal) notAccepted(`Temporal.${name}`, 'this engine has no Temporal');
          if (name === 'Duration') return new Temporal.Duration(...said.split(',').map(Number));
          try {
            return Temporal[name].from(said);
          } catch {
            // The offset decides if both sides have different rules for the time zone. This keeps the instant. Not to begin with:
            // offsets are said without their seconds.
            return Temporal[name].from(said, { __proto__: null, offset: 'use' });
          }
        },
      );
  }
  return undefined;
}

/** Node defines the `constructor` of some Blobs on them. */
function mayOwnClass(blob: Blob): boolean {
  return `${Object.keys(blob)}` === 'constructor' && blob.constructor === Object.getPrototypeOf(blob).constructor;
}

/** Returns the bytes of a body. They come from the `bodies` option, because no property holds them. */
function bodyOf(
  holder: object & { body?: unknown; method?: string; status?: number },
  state: Taking,
): Uint8Array | null {
  const { body, method, status } = holder;
  if (status! < 200) refuse(state, `responses of status ${status}`);
  // A request in Firefox has no `body` property. GET and HEAD requests never have a body.
  if (body === null || method === 'GET' || method === 'HEAD') return null;
  const read = state.writing.bodies?.get(holder) ?? refuse(state, `${describe(holder)} that readBodies has not read`);
  return method && body === undefined && read.length === 0 ? null : read;
}

/**
 * Returns an address as the platform writes it, which is without other characters. To convert a host that has thousands
 * of them takes quadratic time.
 */
function ascii(address: unknown): string {
  requirePart(typeof address === 'string' && /^[ -~]*$/.test(address));
  return address;
}

function bytes(body: unknown): Uint8Array<ArrayBuffer> {
  requirePart(body instanceof Uint8Array);
  return body as Uint8Array<ArrayBuffer>;
}

let carriedBefore: WeakSet<object> | undefined;
/**
 * Checks the headers and the body of one request or response. Without this check, many could refer to the same large
 * Headers for a few bytes each.
 */
function carried(headers: unknown, body: unknown): { headers: Headers; body: BodyInit | null } {
  carriedBefore ??= new WeakSet();
  requirePart(headers instanceof Headers && !carriedBefore.has(headers) && (body === null || bytes(body)));
  carriedBefore.add(headers);
  return { headers, body: body as BodyInit | null };
}

/**
 * Returns the blob if it has this type, and throws otherwise. Bun adds a charset to the types of texts, and workerd keeps
 * capitals in the type of a request's Blob.
 */
function ofType(blob: Blob, type: unknown): Blob {
  requirePart(typeof type === 'string');
  const made = type.toLowerCase();
  requirePart(blob.type === made || blob.type === `${made};charset=utf-8`);
  return blob;
}
