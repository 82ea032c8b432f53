import { RpcPromise, RpcStub } from 'capnweb';
import { isPlainData } from '../session/incoming/members.ts';
import { type FacadeHost, ownOf } from './facade.ts';
import { remoteOf, type Stub } from './remote.ts';
import { convertedReadable, convertedWritable } from './streams.ts';

/**
 * Returns what the server's code gets for a value that Cap'n Web's session has read, which nobody else has: lists and objects
 * are changed in place. What is by reference in it is duplicated, since the session disposes of what it has handed over.
 */
export function receive(value: unknown, host: FacadeHost): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
  if ((value as object) instanceof RpcStub) return received(value as Stub, host);
  if (Array.isArray(value)) {
    host.longest.length = Math.max(host.longest.length, value.length);
    for (const [index, each] of value.entries()) value[index] = receive(each, host);
    return value;
  }
  const isData: boolean = isPlainData(value);
  if (isData || value instanceof Error) {
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(value)) fields[name] = receive(fields[name], host);
    return value;
  }
  // Where there is a Buffer, bytes arrive as one: with methods of its own, and perhaps in memory that others share.
  if (value instanceof Uint8Array && value.constructor !== Uint8Array) return new Uint8Array(value);
  if (value instanceof ReadableStream) return convertedReadable(value, host.take);
  if (value instanceof WritableStream) return convertedWritable(value, host.give);
  return value;
}

function received(stub: Stub, host: FacadeHost): unknown {
  // What comes back to where it is from is read as a promise.
  const own = (stub as object) instanceof RpcPromise ? ownOf(stub) : undefined;
  return own ?? remoteOf(stub.dup(), host);
}
