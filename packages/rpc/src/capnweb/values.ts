import { RpcPromise, RpcStub } from 'capnweb';
import { isNativeStub } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';
import { SubscriptionRequest } from '../server/topics/subscriber.ts';
import { isPlainData } from '../session/data-members.ts';
import { nodeOf } from '../session/outgoing/node.ts';
import { isByReference, isTarget } from '../session/references/by-reference.ts';
import { checkReferences } from '../session/references/holders.ts';
import { disposeOf, type Exchange, exposeFunction, exposeTarget, ownOf, type Stub } from './references.ts';

/** Classes whose instances Cap'n Web carries by value, and which hold nothing by reference. */
const CARRIED: readonly (abstract new (...args: never[]) => object)[] = [Date, ArrayBuffer, URL, Headers, Blob];

/** The role of a value that is exposed. Nothing by reference is thrown: Cap'n Web has nobody there who would let go of it. */
type Role = 'result' | 'argument' | 'thrown';

/** Returns what the session is to get in place of what a method threw: of an error, what can be sent. */
export function exposeThrown(error: unknown, exchange: Exchange, what: string): unknown {
  try {
    return expose(error, exchange, what, 'thrown');
  } catch (refusal) {
    return refusal;
  }
}

/**
 * Returns what Cap'n Web's session is to get in place of a value of the server's: copied, with facades for what travels by
 * reference. `what` begins the messages of errors. An argument's stubs stay the server's; a result's are duplicated, because the
 * session disposes of what it has sent.
 * @throws {RpcError} `NOT_CLONEABLE` where there is something in it that Cap'n Web does not carry
 */
export function expose(given: unknown, exchange: Exchange, what: string, role: Role = 'result'): unknown {
  /** The objects that the value being exposed is in, and under which names. */
  const way: { readonly object: object; readonly name: string | number }[] = [];
  /** Jobs that undo what was made of values by reference. */
  const made: (() => void)[] = [];
  try {
    return exposed(given);
  } catch (error) {
    // Nothing of it is sent.
    for (const undo of made) undo();
    throw error;
  }

  function exposed(value: unknown): unknown {
    if (typeof value === 'symbol') throw refusal('a symbol');
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const reference = referenceTo(value);
    if (reference !== undefined) return reference;
    const isData: boolean = isPlainData(value);
    if (isData || value instanceof Error) return copied(value);
    if (ArrayBuffer.isView(value) || CARRIED.some((type) => value instanceof type)) return value;
    return streamed(value);
  }

  /** Returns what stands for something that travels by reference; undefined where it does not. */
  function referenceTo(value: object): object | undefined {
    if (role === 'thrown' && isByReference(value)) throw refusal('what is by reference in what is thrown');
    const node = nodeOf(value);
    const { stubs, exports, maxReferences } = exchange;
    const stub: object = node?.owner === stubs ? stubs.behind(node) : value;
    if (stub !== value && stub instanceof RpcPromise) return promised(value as PromiseLike<unknown>);
    if (stub instanceof RpcStub && !(stub instanceof RpcPromise)) {
      if (role === 'argument') return stub;
      const duplicate = (stub as unknown as Stub).dup();
      made.push(() => disposeOf(duplicate));
      return duplicate;
    }
    // The platform's own, some of which are functions, decide for themselves what may be reached.
    if (isNativeStub(value)) return value;
    if (typeof value === 'function' || isTarget(value) || node !== undefined) {
      if (!exports.has(value)) checkReferences(exports.size, maxReferences);
      exports.retain(value);
      const release = () => exports.release(value);
      made.push(release);
      const facade = typeof value === 'function' ? exposeFunction : exposeTarget;
      return facade(value as never, exchange, release);
    }
    return value instanceof Promise ? promised(value) : undefined;
  }

  function promised(value: PromiseLike<unknown>): object {
    const settled = Promise.resolve(value).then(later());
    settled.catch(() => {}); // the client is told, where what it is in is sent
    return new RpcPromise(settled as Promise<undefined>);
  }

  function streamed(value: object): object {
    if (value instanceof WritableStream) return convertedWritable(value, exchange.take);
    if (value instanceof Response || value instanceof Request) {
      if (value.body === null) return value;
      const body = convertedReadable(value.body, later());
      return value instanceof Response ? new Response(body, value) : new Request(value, { body });
    }
    if (value instanceof ReadableStream || Symbol.asyncIterator in value) {
      return convertedReadable(value as AsyncIterable<unknown>, later());
    }
    throw refusal(describe(value));
  }

  function copied(value: object): object {
    if (way.some(({ object }) => object === value)) throw refusal('a cycle');
    if (Array.isArray(value)) {
      exchange.admission.noteList(value);
      return Array.from(value, (each, index) => within(value, index, each));
    }
    if (value instanceof Error) return copiedError(value);
    const copy = {};
    for (const name of Object.keys(value)) copyProperty(value, name, copy, true);
    return copy;
  }

  function copiedError(error: Error): Error {
    const copy: Error = Object.create(Object.getPrototypeOf(error));
    const own = OF_ERRORS.filter((name) => name in error && (name !== 'errors' || error instanceof AggregateError));
    for (const name of new Set([...Object.keys(error), ...own])) {
      try {
        // A session that finds some of them among the keys sends them twice, at every level of causes: that is soon without end.
        copyProperty(error, name, copy, !OF_ERRORS.includes(name));
      } catch (refusal) {
        if (role !== 'thrown') throw refusal;
      }
    }
    return copy;
  }

  function copyProperty(from: object, name: string, to: object, enumerable: boolean): void {
    const property = (from as Record<string, unknown>)[name];
    // A session would call it, to wait for the object.
    if (name === 'then' && typeof property === 'function') throw refusal('an object with a function called then');
    const value = within(from, name, property);
    // Not by assignment, which would set a prototype where that is the name.
    Object.defineProperty(to, name, { value, enumerable, configurable: true, writable: true });
  }

  /** Exposes what an object has under a name. */
  function within(object: object, name: string | number, value: unknown): unknown {
    way.push({ object, name });
    try {
      return exposed(value);
    } finally {
      way.pop();
    }
  }

  /** Returns what exposes values that come later, from the same place. */
  function later(): (value: unknown) => unknown {
    const place = placeOf();
    return (value) => expose(value, exchange, place, role);
  }

  function placeOf(): string {
    const path = way.map(({ name }) => (/^\d+$/.test(String(name)) ? `[${name}]` : `.${name}`)).join('');
    return path === '' ? what : `${what}: at value${path}`;
  }

  function refusal(kind: string): RpcError {
    return new RpcError('NOT_CLONEABLE', `${placeOf()}: ${kind} cannot be sent to a Cap'n Web client: ${HINT}`);
  }
}

/** Properties that errors have beside those of an application. */
const OF_ERRORS: readonly string[] = ['name', 'message', 'stack', 'cause', 'errors'];

const HINT = "return plain objects and lists, or connect with '@lumenize/rpc'";

function describe(value: object): string {
  if (value instanceof SubscriptionRequest) return 'a subscription';
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return name ? `a ${name}` : 'an object without a prototype';
}

/**
 * Returns what the server's code gets for a value that Cap'n Web's session has read, which nobody else has: lists and objects
 * are changed in place. What is by reference in it is duplicated, since the session disposes of what it has handed over.
 */
export function receive(value: unknown, exchange: Exchange): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
  if ((value as object) instanceof RpcStub) {
    // What comes back to where it is from is read as a promise.
    const own = (value as object) instanceof RpcPromise ? ownOf(value) : undefined;
    return own ?? exchange.stubs.stubOf((value as Stub).dup());
  }
  if (Array.isArray(value)) {
    exchange.admission.noteList(value);
    for (const [index, each] of value.entries()) value[index] = receive(each, exchange);
    return value;
  }
  const isData: boolean = isPlainData(value);
  if (isData || value instanceof Error) {
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(value)) fields[name] = receive(fields[name], exchange);
    return value;
  }
  // Where there is a Buffer, bytes arrive as one: with methods of its own, and perhaps in memory that others share.
  if (value instanceof Uint8Array && value.constructor !== Uint8Array) return new Uint8Array(value);
  if (value instanceof ReadableStream) return convertedReadable(value, exchange.take);
  if (value instanceof WritableStream) return convertedWritable(value, exchange.give);
  return value;
}

/** Converts each chunk on its way. */
type Convert = (chunk: unknown) => unknown;

/** Makes a stream of what is made of another's chunks, or of what is gone through: it reads ahead no further than that does. */
function convertedReadable(source: ReadableStream | AsyncIterable<unknown>, convert: Convert): ReadableStream {
  const reader = source instanceof ReadableStream ? source.getReader() : source[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await ('read' in reader ? reader.read() : reader.next());
        if (done) controller.close();
        else controller.enqueue(convert(value));
      },
      async cancel(reason) {
        await ('cancel' in reader ? reader.cancel(reason) : reader.return?.());
      },
    },
    { highWaterMark: 0 },
  );
}

/** Makes a stream that writes what is made of its chunks to another. */
function convertedWritable(stream: WritableStream, convert: Convert): WritableStream {
  const writer = stream.getWriter();
  return new WritableStream({
    write: (chunk) => writer.write(convert(chunk)),
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
}
