import { readBodies } from '@lumenize/structured-clone/messages';
import type { Feature, Mark } from './options.ts';
import type { Writer } from './writer.ts';

/** The classes whose bytes can only be read asynchronously. */
const WITH_BODIES = ['Blob', 'Request', 'Response'];

/** Makes a value wait for the bytes of a Blob, File, Request or Response in it. */
function pass(value: object, writer: Writer): Mark | undefined {
  if (!WITH_BODIES.some((name) => isInstance(value, name))) return undefined;
  if (writer.bodies?.has(value) || (value as Partial<Response>).body === null) return undefined;
  writer.bodies ??= new Map();
  // One for all: there may be many thousands.
  const known = writer.bodies as Map<object, Uint8Array>;
  writer.wait(
    readBodies(value).then((read) => {
      for (const [holder, bytes] of read) known.set(holder, bytes);
    }),
  );
  return { name: 'value', parts: [0] };
}

function isInstance(value: object, name: string): boolean {
  const type = (globalThis as Record<string, unknown>)[name];
  return typeof type === 'function' && value instanceof type;
}

/** Blobs, files, requests and responses, which are read before the call is made. */
export const bodies: Feature = { pass };
