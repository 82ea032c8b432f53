import { describe, notCloneable } from '../../core/clone-error.ts';
import type { Bodies, EncodeOptions } from '../../core/options.ts';
import { HIDDEN } from '../../core/path.ts';
import { BODY, FIELDS, fieldOf, HEADERS, MAX_RESERVED_BYTES, STACK } from './records.ts';
import {
  AGGREGATE_ERROR,
  ARRAY,
  ARRAY_BUFFER,
  builtIn,
  DATE,
  DOM_EXCEPTION,
  FIRST_ERROR,
  FIRST_OF_SUPPRESSED,
  FIRST_RECORD,
  isError,
  TEXTS,
  TYPE_NAMES,
  VIEW,
} from './type-names.ts';
import { VIEW_NAMES, VIEWS } from './views.ts';

/** Whether the bytes of a buffer are to be written whole, because more than one object of the value uses them. */
type SharesBuffer = (buffer: ArrayBufferLike) => boolean;

/**
 * Takes an instance apart into values that say what it is. The parts of collections are values of any kind; of the
 * other types, a `Uint8Array` is no value but the bytes themselves.
 */
export function takeApart(
  type: number,
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the type says
  instance: any,
  sharesBuffer: SharesBuffer,
  options: EncodeOptions,
): unknown[] {
  if (type === ARRAY) return [instance.length, ...Object.entries(instance).flat()];
  if (isError(type)) return errorParts(type, instance, options);
  try {
    return partsOf(type, instance, sharesBuffer, options);
  } catch (error) {
    // So platforms say that it only looks like an instance, as a Proxy does, or that it can no longer be used.
    throw error instanceof TypeError ? notCloneable(describe(instance), instance) : error;
  }
}

function partsOf(
  type: number,
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the type says
  instance: any,
  sharesBuffer: SharesBuffer,
  { bodies, errorStacks }: EncodeOptions,
): unknown[] {
  if (type === VIEW) return viewParts(instance, sharesBuffer);
  // The characters of a String object are none; a DOMException has some of the platform's, here and there.
  if (type !== DOM_EXCEPTION && Object.keys(instance).length > (instance.length ?? 0)) {
    throw notCloneable(`named properties of ${describe(instance)}`, instance);
  }
  if (type === DATE) return [instance.getTime()];
  if (type >= FIRST_RECORD) {
    return FIELDS[type - FIRST_RECORD].map((name) => {
      if (name === STACK && !errorStacks) return undefined;
      if (name !== BODY) {
        const field = fieldOf(instance, name);
        // As the index of a RegExp, to which anything can be assigned.
        if (Object(field) === field && name !== HEADERS) {
          throw notCloneable(`${name} of ${describe(instance)} that is no primitive`, instance);
        }
        return field;
      }
      if (type !== ARRAY_BUFFER) return bodyOf(instance, bodies);
      sharesBuffer(instance);
      if (instance.resizable && instance.maxByteLength > MAX_RESERVED_BYTES) {
        throw notCloneable('buffers that may exceed 1 GiB', instance);
      }
      checkAttached(instance, instance);
      return new Uint8Array(instance);
    });
  }
  return itemsOf(TYPE_NAMES[type], instance);
}

/** Lists the keys and values in a collection by the platform's own method, whatever its class has made of its iterator. */
export function itemsOf(name: string, collection: object): unknown[] {
  const items: unknown[] = [];
  builtIn(name).prototype.forEach.call(collection, (value: unknown, key: unknown) => {
    if (name !== 'Set') items.push(key);
    items.push(value);
  });
  return items;
}

function bodyOf(
  holder: Pick<Response, 'status' | 'body'> & { method?: string },
  bodies: Bodies | undefined,
): Uint8Array | null {
  const { body: stream, method } = holder;
  if (holder.status < 200) throw notCloneable(`responses of status ${holder.status}`, holder);
  // Firefox does not tell of a request; these two never have one.
  if (stream === null || method === 'GET' || method === 'HEAD') return null;
  const body = bodies?.get(holder);
  if (!body) throw notCloneable(`${describe(holder)} that readBodies has not read`, holder);
  return method && stream === undefined && body.length === 0 ? null : body;
}

function checkAttached(buffer: ArrayBuffer, owner: object): void {
  if (buffer.detached) throw notCloneable('detached buffers', owner);
}

/** How many properties there are that are not enumerable; those; and all that are. */
function errorParts(type: number, error: Error, { errorStacks }: EncodeOptions): unknown[] {
  // A stack that was set may be enumerable.
  const shown = Object.keys(error).filter((key) => key !== 'stack' || errorStacks);
  const hidden = HIDDEN.filter((key, at) => {
    if (!(key in error) || shown.includes(key)) return false;
    if (key === 'stack') return errorStacks;
    if (key === 'name') return error.name !== TYPE_NAMES[type];
    // All errors inherit an empty message.
    return Object.hasOwn(error, key) || (at < FIRST_OF_SUPPRESSED && error[key as keyof Error] !== '');
  });
  const pairs = [...hidden, ...shown].flatMap((key) => {
    const value = error[key as keyof Error];
    return [key, TEXTS.includes(key) ? `${value}` : value];
  });
  return [hidden.length, ...pairs];
}

/**
 * A view comes with its whole buffer where other objects of the value use that, else with no more than the bytes it
 * shows. Subclasses, such as Node's pooled Buffer, never bring their buffer.
 */
function viewParts(view: ArrayBufferView<ArrayBuffer>, sharesBuffer: SharesBuffer): unknown[] {
  const { buffer } = view;
  checkAttached(buffer, view);
  const { byteOffset, byteLength } = view;
  // Which a view that its buffer has become too short for has, too; its methods throw.
  if (byteLength === 0) (view as Uint8Array).at?.(0);
  const index = VIEW_NAMES.indexOf(brandOf(view));
  if (index < 0) throw notCloneable(describe(view), view);
  const { prototype, BYTES_PER_ELEMENT: size = 1 } = VIEWS[index];
  // Nothing tells whether a view follows the length of its buffer; one to the end of a buffer that can grow is taken to.
  const follows = buffer.resizable && buffer.byteLength - byteOffset - byteLength < size;
  return Object.getPrototypeOf(view) === prototype && (sharesBuffer(buffer) || follows)
    ? [index * 2 + 1, buffer, byteOffset, follows ? undefined : byteLength / size]
    : [index * 2, new Uint8Array(buffer, byteOffset, byteLength)];
}

/** Built-in classes name themselves, in every realm, and for instances of subclasses too. */
function brandOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Types of classes whose instances were met, by their prototypes. Errors are of different types by their names. */
const known = new WeakMap<object, number>();

/** Finds the type of an instance with this prototype by what it is; -1 for instances of unknown classes. */
export function typeOf(value: object, prototype: object): number {
  if (ArrayBuffer.isView(value)) return VIEW;
  let type = known.get(prototype);
  if (type === undefined) {
    type = brandedType(value);
    if (type >= 0 && !isError(type)) known.set(prototype, type);
  }
  return type;
}

function brandedType(value: object): number {
  // Those of `Temporal` are of one type, and so have a name of two parts.
  const [first, name = first] = brandOf(value).split('.');
  const type = (TYPE_NAMES as readonly string[]).indexOf(first);
  // Any class can call itself anything: only instances of the class with that name are meant, of this realm or another.
  for (let at = value; type >= 0 && at; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, 'constructor') && at.constructor?.name === name) {
      return type === FIRST_ERROR ? errorType(value as Error) : type;
    }
  }
  return -1;
}

/** A class of errors that has no number of its own travels as its nearest ancestor that has one. */
function errorType(error: Error): number {
  let type = AGGREGATE_ERROR;
  // By name where the error is of another realm, as native structuredClone does.
  while (type > FIRST_ERROR && error.name !== TYPE_NAMES[type] && !(error instanceof builtIn(TYPE_NAMES[type]))) {
    type--;
  }
  return type;
}

/**
 * Whether an array has all its indices and no named properties. Nothing tells in less than time for each item; a list
 * of the values is much the quickest to get, since it needs no strings for the indices.
 */
export function isDense(array: readonly unknown[]): boolean {
  const { length } = array;
  // As many holes as named properties, perhaps: `reduce` passes holes over.
  return (
    Object.values(array).length === length &&
    (!array.includes(undefined) || array.reduce((count: number) => count + 1, 0) === length)
  );
}
