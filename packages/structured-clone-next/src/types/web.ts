import { describe, malformed, notAccepted, notCloneable } from '../clone-error.ts';
import { explain } from '../explain.ts';
import { decodeInstance, encodeInstance } from '../registered.ts';
import type { Writing } from '../write.ts';
import { common } from './common.ts';
import { builtIn, eachPair, fieldsOf, itemsOf, requirePart, requireSame, type Types } from './types.ts';

/** All types: those of the language, those of the web, and registered classes. */
export const all: Types = { weigh, take, empty, make, encode: encodeInstance, decode: decodeInstance, explain };

function weigh(name: string, parts: readonly unknown[]): number {
  if (name === 'Temporal') return 4;
  if (/^(URL|URLSearchParams|FormData)$/.test(name)) return 5;
  if (name === 'Headers') return 11;
  if (/^(Blob|Response)$/.test(name)) return 16;
  return /^(File|Request)$/.test(name) ? 20 : common.weigh(name, parts);
}

/** The fields of a `Temporal.Duration`. Its own text would turn a thousand milliseconds into a second. */
const UNITS = 'years months weeks days hours minutes seconds milliseconds microseconds nanoseconds';

function take(
  name: string,
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
  value: any,
  writing: Pick<Writing, 'bodies' | 'stacks'>,
  isShared: (buffer: object) => boolean,
): unknown[] | undefined {
  switch (name) {
    case 'URLSearchParams':
    case 'Headers':
    case 'FormData':
      return itemsOf(name, value);
    case 'URL':
      return fieldsOf(value, 'href');
    case 'Request':
      return [...fieldsOf(value, 'url', 'method', 'redirect'), value.headers, bodyOf(value, writing)];
    case 'Response':
      return [...fieldsOf(value, 'status', 'statusText'), value.headers, bodyOf(value, writing)];
    case 'Blob':
      return [...fieldsOf(value, 'type'), bodyOf(value, writing)];
    case 'File':
      return [...fieldsOf(value, 'name', 'lastModified', 'type'), bodyOf(value, writing)];
    case 'Temporal':
      return [
        value[Symbol.toStringTag].slice('Temporal.'.length),
        'weeks' in value ? fieldsOf(value, ...UNITS.split(' ')).join() : `${value}`,
      ];
  }
  return common.take(name, value, writing, isShared);
}

/** Returns the bytes of a body. They come from the `bodies` option, because no property holds them. */
function bodyOf(
  holder: Blob & { body?: unknown; method?: string; status?: number },
  { bodies }: Pick<Writing, 'bodies'>,
): Uint8Array | null {
  const { body, method, status } = holder;
  if (status! < 200) throw notCloneable(holder, `responses of status ${status}`);
  // A request in Firefox has no `body` property. GET and HEAD requests never have a body.
  if (body === null || method === 'GET' || method === 'HEAD') return null;
  const read = bodies?.get(holder);
  if (!read) throw notCloneable(holder, `${describe(holder)} that readBodies has not read`);
  return method && body === undefined && read.length === 0 ? null : read;
}

function empty(name: string): object | undefined {
  return /^(URLSearchParams|Headers|FormData)$/.test(name) ? new (builtIn(name))() : common.empty(name);
}

// biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
function make(name: string, parts: any[], empty: any): object | undefined {
  switch (name) {
    case 'URLSearchParams':
    case 'Headers':
    case 'FormData':
      eachPair(parts, 0, (key, value) => {
        // Only a FormData also holds Files. It would make one of a Blob, for each reference to it.
        requirePart(
          typeof key === 'string' && (typeof value === 'string' || (name === 'FormData' && value instanceof File)),
        );
        empty.append(key, value);
      });
      return empty;
    case 'URL':
      return record(
        parts,
        0,
        (href) => new URL(ascii(href)),
        (made) => [made.href],
      );
    case 'Request':
      return record(
        parts,
        2,
        // Constructors also read inherited options. Without a prototype, `Object.prototype` cannot add any.
        (url, method, redirect, headers, body) =>
          new Request(ascii(url), { __proto__: null, method, redirect, ...carried(headers, body) } as RequestInit),
        (made) => [made.url, made.method, made.redirect],
      );
    case 'Response':
      return record(
        parts,
        2,
        (status, statusText, headers, body) =>
          new Response(body, { __proto__: null, status, statusText, ...carried(headers, body) } as ResponseInit),
        (made) => [made.status, made.statusText],
      );
    case 'Blob':
      return record(
        parts,
        2,
        (type, body) => ofType(new Blob([bytes(body)], { type }), type),
        () => [],
      );
    case 'File':
      return record(
        parts,
        2,
        (name, lastModified, type, body) => ofType(new File([bytes(body)], name, { type, lastModified }), type),
        (made) => [made.name, made.lastModified],
      );
    case 'Temporal':
      return record(parts, 0, temporal, () => parts);
  }
  return common.make(name, parts, empty);
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

const carriedBefore = /* @__PURE__ */ new WeakSet<object>();
/**
 * Checks the headers and the body of one request or response. Without this check, many could refer to the same large
 * Headers for a few bytes each.
 */
function carried(headers: unknown, body: unknown): { headers: Headers; body: BodyInit | null } {
  requirePart(headers instanceof Headers && !carriedBefore.has(headers) && (body === null || bytes(body)));
  carriedBefore.add(headers);
  return { headers, body: body as BodyInit | null };
}

/** Returns the blob if it has this type, and throws otherwise. Bun adds a charset to the types of texts. */
function ofType(blob: Blob, type: unknown): Blob {
  requirePart(typeof type === 'string');
  if (blob.type !== type && blob.type !== `${type};charset=utf-8`) throw malformed('type');
  return blob;
}

function temporal(name: string, said: string): object {
  requirePart(typeof name === 'string' && typeof said === 'string');
  const Temporal = builtIn('Temporal');
  if (!Temporal) throw notAccepted(`Temporal.${name}`, 'this engine has no Temporal');
  if (name === 'Duration') return new Temporal.Duration(...said.split(',').map(Number));
  try {
    return Temporal[name].from(said);
  } catch {
    // The offset decides if both sides have different rules for the time zone. This keeps the instant.
    return Temporal[name].from(said, { offset: 'use' });
  }
}

/**
 * Makes an instance of parts that `take` returns for it. All are primitives, but for a number of them at the end, which
 * `make` checks.
 */
function record(
  parts: unknown[],
  others: number,
  // biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
  make: (...parts: any[]) => object,
  // biome-ignore lint/suspicious/noExplicitAny: of the class that was made
  take: (made: any) => unknown[],
): object {
  const closed = parts.slice(0, parts.length - others);
  requirePart(!closed.some((part) => Object(part) === part));
  const made = make(...parts);
  // Constructors convert their arguments. Parts that need a conversion were not written.
  requireSame(closed, take(made));
  return made;
}
