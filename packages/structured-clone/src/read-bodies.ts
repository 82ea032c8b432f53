import { CloneError } from './clone-error.ts';
import { formOf, type State } from './form.ts';
import { resolveLimits } from './limits.ts';
import { all } from './types/web.ts';
import { builtIn, refuse } from './types.ts';
import type { Bodies, Extension } from './write.ts';

/** What is written for objects that are not looked into. */
const NOTHING: Extension = { name: 'nothing', parts: [] };

/**
 * Reads the body of every Blob, File, Request and Response in a value, including those in a FormData. Bodies can only
 * be read asynchronously, so pass the result to `encode` or `stringify` as the option `bodies`. Bodies of requests and
 * responses are read from clones, so you can still use them.
 * @throws {CloneError} if a body was used already, with the path to it
 */
export async function readBodies(value: unknown): Promise<Bodies> {
  const bodies = new Map<object, Uint8Array>();
  const reading = new Map<object, Promise<unknown>>();
  visit(value, (object) => {
    if (!hasBody(object)) return undefined;
    // A clone has to be made at once, before the body is used.
    if (!reading.has(object)) {
      reading.set(
        object,
        bytesOf(object).then(
          (bytes) => bodies.set(object, bytes),
          (error) => {
            throw unreadable(error, object, value);
          },
        ),
      );
    }
    return NOTHING;
  });
  await Promise.all(reading.values());
  return bodies;
}

/** Shows all objects of a value to `see`, up to one that cannot be cloned. Returns the state if it refused one. */
function visit(value: unknown, see: (object: object, state: State) => Extension | undefined): State | undefined {
  const limits = resolveLimits();
  const writing = {
    types: all,
    limits,
    tail: [],
    refer: (object: object) => see(object, state),
    extend: () => NOTHING,
  };
  const state: State = { writing, limits, depth: 0, weight: 0, bytes: 0, path: '' };
  try {
    formOf(value, state);
  } catch (error) {
    if (error === state) return state;
    throw error;
  }
  return undefined;
}

/** Returns the error of a body that cannot be read, with the path to it. */
function unreadable(error: unknown, object: object, value: unknown): unknown {
  const refusal = visit(value, (each, state) => {
    if (each === object) refuse(state, `a body that cannot be read (${error})`);
    return hasBody(each) ? NOTHING : undefined;
  });
  return refusal ? new CloneError('NOT_CLONEABLE', refusal.refused!, `value${refusal.path}`) : error;
}

/** Returns true for instances of a class of the platform, also of another realm. */
function isA(object: object, name: string): boolean {
  return object instanceof builtIn(`$${name}`) || Object.prototype.toString.call(object) === `[object ${name}]`;
}

function hasBody(object: object): boolean {
  if (isA(object, 'Blob') || isA(object, 'File')) return true;
  return (isA(object, 'Request') || isA(object, 'Response')) && (object as Response).body !== null;
}

async function bytesOf(holder: object): Promise<Uint8Array> {
  const { clone } = holder as Response;
  return new Uint8Array(await (clone ? clone.call(holder) : (holder as Blob)).arrayBuffer());
}
