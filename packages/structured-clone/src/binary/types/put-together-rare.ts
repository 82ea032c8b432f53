import { malformed, notAccepted } from '../../core/clone-error.ts';
import { ownProperty } from '../../core/own-property.ts';
import { eachPair, integer, type PutTogether, text } from './put-together.ts';
import { BODY, CLASS, FIELDS, fieldOf, HEADERS, MAX_RESERVED_BYTES, STACK, TEXT } from './records.ts';
import { ARRAY, builtIn, FIRST_RECORD } from './type-names.ts';

// What few values hold: arrays with holes or named properties, buffers by themselves, and the types of the web.

// biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
type Make = (fields: Record<string, any>) => object;

const unbox: Make = (fields) => Object(fields.valueOf);

/** In the order of `FIELDS`. */
const MAKERS: readonly Make[] = [
  ({ resizable, maxByteLength, body }) => {
    if (!resizable || maxByteLength > MAX_RESERVED_BYTES) return body.buffer;
    const buffer = new ArrayBuffer(body.length, { maxByteLength });
    new Uint8Array(buffer).set(body);
    return buffer;
  },
  ({ source, flags, lastIndex }) => Object.assign(new RegExp(source, flags), { lastIndex }),
  ({ message, name, stack }) => {
    const exception = new DOMException(message, name);
    // The stack that it has now would show the decoder's frames.
    ownProperty(exception, 'stack', stack === undefined ? `${exception}` : text(stack), false);
    return exception;
  },
  unbox,
  unbox,
  unbox,
  unbox,
  ({ href }) => new URL(href),
  (fields) => new Request(fields.url, fields),
  (fields) => new Response(fields.body, fields),
  (fields) => new Blob([fields.body.buffer], fields),
  (fields) => new File([fields.body.buffer], fields.name, fields),
  (fields) => {
    const Temporal = builtIn('Temporal');
    if (!Temporal) throw notAccepted(`Temporal.${fields[CLASS]}`, 'this engine has no Temporal');
    const constructor = Temporal[fields[CLASS]];
    const said = text(fields[TEXT]);
    if (constructor === Temporal.Duration) return new constructor(...said.split(',').map(Number));
    try {
      return constructor.from(said);
    } catch {
      // The instant counts where the sides know other rules of its time zone.
      return constructor.from(said, { offset: 'use' });
    }
  },
];

/** Fields that instances have not, or not always, as they were sent. */
const UNCHECKED = [BODY, STACK, TEXT];

/** The headers of requests and responses, by those they were copied from: where these are nested deep, what is in them comes later. */
const copies = new WeakMap<object, Headers>();

/** Puts together what few values need: files, requests, holes of arrays and the like. */
export const RARE: PutTogether = {
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the type says
  fill(type, collection: any, parts, holes) {
    if (type === ARRAY) {
      const length = integer(parts[0]);
      holes(length, parts.length);
      collection.length = length;
      eachPair(parts, 1, (key, value) => {
        // An item beyond the length would move it, and so would a property of that name.
        if (key === 'length' || !ownProperty(collection, text(key), value) || collection.length !== length) {
          throw malformed('key');
        }
      });
    } else {
      const copy = copies.get(collection);
      eachPair(parts, 0, (key, value) => {
        collection.append(text(key), value instanceof Blob ? value : text(value));
        copy?.append(key as string, value as string);
      });
    }
  },

  make(type, { value, bytes }) {
    const names = FIELDS[type - FIRST_RECORD];
    // Constructors take from it what they find, also what all objects have.
    const fields: Record<string, unknown> = Object.create(null);
    let headers: Headers | undefined;
    for (const name of names) {
      const field = name === BODY ? bytes() : value();
      // What is not data would be asked what it is.
      if (name === HEADERS && field instanceof Headers) headers = field;
      else if (Object(field) === field && name !== BODY) throw malformed(name);
      fields[name] = field;
    }
    const made = MAKERS[type - FIRST_RECORD](fields);
    // Constructors convert what they are given: here, there must have been nothing to convert.
    for (const name of names) {
      const field = fields[name];
      if (Object(field) === field || UNCHECKED.includes(name)) continue;
      const is = fieldOf(made, name);
      // Bun says of a text in which charset it is.
      if (!Object.is(is, field) && !(name === 'type' && is === `${field};charset=utf-8`)) throw malformed(name);
    }
    if (headers) {
      // Those of many would cost a few bytes each, however large they are.
      if (copies.has(headers)) throw malformed(HEADERS);
      copies.set(headers, (made as Response).headers);
    }
    return made;
  },
};
