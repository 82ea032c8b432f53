import { notCloneable } from './clone-error.ts';
import { explain } from './explain.ts';
import { codecOf } from './registered.ts';
import { HIDDEN } from './types/errors.ts';
import { builtIn, itemsOf } from './types/types.ts';
import type { Bodies } from './write.ts';

/** The collections that may hold objects with a body. */
const COLLECTIONS = ['$Map', '$Set', '$FormData'];

/**
 * Reads the body of every Blob, File, Request and Response in a value, including those in a FormData. Bodies can only
 * be read asynchronously, so pass the result to `encode` or `stringify` as the option `bodies`. Bodies of requests and
 * responses are read from clones, so you can still use them.
 * @throws {CloneError} if a body was used already, with the path to it
 */
export async function readBodies(value: unknown): Promise<Bodies> {
  const bodies = new Map<object, Uint8Array>();
  const reading: Promise<unknown>[] = [];
  // The set grows during the loop. Primitives are left out: there may be millions of them.
  const met = new Set<unknown>([value]);
  for (const object of met) {
    if (typeof object !== 'object' || object === null || ArrayBuffer.isView(object)) continue;
    const body = bodyOf(object);
    if (body) {
      const read = async () => bodies.set(object, new Uint8Array(await body.arrayBuffer()));
      reading.push(
        read().catch((error) => {
          throw explain(notCloneable(object, `a body that cannot be read (${error})`), value, {});
        }),
      );
    } else for (const inner of valuesIn(object)) if (typeof inner === 'object') met.add(inner);
  }
  await Promise.all(reading);
  return bodies;
}

/** Returns true for instances of a class of the platform, also of another realm. */
function isA(object: object, name: string): boolean {
  return object instanceof builtIn(`$${name}`) || Object.prototype.toString.call(object) === `[object ${name}]`;
}

function bodyOf(object: object): Pick<Blob, 'arrayBuffer'> | undefined {
  if (isA(object, 'Blob') || isA(object, 'File')) return object as Blob;
  if (!(isA(object, 'Request') || isA(object, 'Response')) || (object as Response).body === null) return undefined;
  try {
    return (object as Response).clone();
  } catch (error) {
    // The body was used already. The promise reports it where the path is known.
    return { arrayBuffer: () => Promise.reject(error) };
  }
}

/** Returns the values that the codec finds in an object. It leaves alone what is sent by reference. */
function valuesIn(object: object): unknown[] {
  const collection = COLLECTIONS.find((mark) => object instanceof builtIn(mark));
  if (collection) return itemsOf(collection, object);
  const prototype = Object.getPrototypeOf(object);
  const codec = codecOf(prototype);
  if (codec) return [codec.encode(object)];
  // Plain objects may come from another realm, and may have no prototype.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  const isError = object instanceof Error;
  if (!isPlain && !isError && !Array.isArray(object)) return [];
  return [...(isError ? HIDDEN.map((key) => object[key as keyof Error]) : []), ...Object.values(object)];
}
