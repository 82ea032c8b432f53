import { notCloneable } from './core/clone-error.ts';
import type { Bodies } from './core/options.ts';
import { HIDDEN, located } from './core/path.ts';
import { itemsOf } from './types/parts.ts';
import { codecOf } from './types/registered.ts';

/** The collections that may hold objects with a body. */
const COLLECTIONS = ['Map', 'Set', 'FormData'];

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
          throw located(notCloneable(object, `a body that cannot be read (${error})`), value);
        }),
      );
    } else for (const inner of valuesIn(object)) if (typeof inner === 'object') met.add(inner);
  }
  await Promise.all(reading);
  return bodies;
}

/** Returns what an object calls itself. An instance of another window or context calls itself the same. */
function brandOf(object: object): string {
  return Object.prototype.toString.call(object).slice(8, -1);
}

function bodyOf(object: object): Pick<Blob, 'arrayBuffer'> | undefined {
  const brand = brandOf(object);
  if (/^(Blob|File)$/.test(brand)) return object as Blob;
  if (!/^(Request|Response)$/.test(brand) || (object as Response).body === null) return undefined;
  try {
    return (object as Response).clone();
  } catch (error) {
    // The body was used already. The promise reports it where the path is known.
    return { arrayBuffer: () => Promise.reject(error) };
  }
}

/** Returns the values that the codec finds in an object. It leaves alone what is sent by reference. */
function valuesIn(object: object): unknown[] {
  const brand = brandOf(object);
  if (COLLECTIONS.includes(brand)) return itemsOf(brand, object);
  const prototype = Object.getPrototypeOf(object);
  const codec = codecOf(prototype);
  if (codec) return [codec.encode(object)];
  // Plain objects may come from another realm, and may have no prototype.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  const isError = brand === 'Error' || object instanceof Error;
  if (!isPlain && !isError && !Array.isArray(object)) return [];
  return [...(isError ? HIDDEN.map((key) => (object as Error)[key as keyof Error]) : []), ...Object.values(object)];
}
