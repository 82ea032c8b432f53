import { RpcPromise, RpcStub } from 'capnweb';
import { isNativeStub } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';
import { SubscriptionRequest } from '../server/topics/subscriber.ts';
import { isPlainData } from '../session/incoming/members.ts';
import { nodeOf } from '../session/outgoing/node.ts';
import { isByReference, isTarget } from '../session/references/by-reference.ts';
import { exposeFunction, exposeTarget, type FacadeHost, ownOf } from './facade.ts';
import { isPending, remoteOf, type Stub, stubBehind } from './remote.ts';

/** Classes whose instances Cap'n Web carries by value, and which hold nothing by reference. */
const CARRIED: readonly (abstract new (...args: never[]) => object)[] = [Date, ArrayBuffer, URL, Headers, Blob];

/**
 * Returns what Cap'n Web's session is to get in place of a value of the server's: copied, with facades for what travels by
 * reference. `what` begins the messages of errors. An argument's stubs stay the server's; a result's are duplicated, because the
 * session disposes of what it has sent.
 * @throws {RpcError} `NOT_CLONEABLE` where there is something in it that Cap'n Web does not carry
 */
export function expose(value: unknown, host: FacadeHost, what: string, as: Role = 'result'): unknown {
  const exposing = new Exposing(host, what, as);
  try {
    return exposing.expose(value);
  } catch (error) {
    exposing.takeBack();
    throw error;
  }
}

/** Returns what the session is to get in place of what a method threw: of an error, what can be sent. */
export function exposeThrown(error: unknown, host: FacadeHost, what: string): unknown {
  try {
    return expose(error, host, what, 'thrown');
  } catch (refusal) {
    return refusal;
  }
}

/** Returns true if a value is a stub of Cap'n Web's own, to wherever it leads; promises of results are none. */
function isStub(value: object): value is Stub {
  return value instanceof RpcStub && !(value instanceof RpcPromise);
}

/** Exposes a thrown value, without what is by reference: Cap'n Web has nobody there who would let go of it. */
type Role = 'result' | 'argument' | 'thrown';

class Exposing {
  readonly #host: FacadeHost;
  readonly #what: string;
  readonly #role: Role;
  readonly #path: string[] = [];
  readonly #above = new Set<object>();
  /** How to undo what was made of what is by reference. */
  readonly #made: (() => void)[] = [];

  constructor(host: FacadeHost, what: string, role: Role) {
    this.#host = host;
    this.#what = what;
    this.#role = role;
  }

  expose(value: unknown): unknown {
    if (typeof value === 'symbol') throw this.#refusal('a symbol');
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const reference = this.#reference(value);
    if (reference !== undefined) return reference;
    const isData: boolean = isPlainData(value);
    if (isData || value instanceof Error) return this.#inside(value);
    if (ArrayBuffer.isView(value) || CARRIED.some((type) => value instanceof type)) return value;
    return this.#special(value);
  }

  /** Nothing of it is sent. */
  takeBack(): void {
    for (const undo of this.#made) undo();
  }

  #duplicate(stub: Stub): Stub {
    const duplicate = stub.dup();
    this.#made.push(() => (duplicate as unknown as Disposable)[Symbol.dispose]());
    return duplicate;
  }

  /** Returns what stands for something that travels by reference; undefined where it does not. */
  #reference(value: object): object | undefined {
    const stub = stubBehind(value) ?? (isStub(value) ? value : undefined);
    if (this.#role === 'thrown' && isByReference(value)) throw this.#refusal('what is by reference in what is thrown');
    if (stub !== undefined) return this.#role === 'argument' ? stub : this.#duplicate(stub);
    if (isPending(value)) return this.#promised(value);
    // The platform's own, some of which are functions, decide for themselves what may be reached.
    if (isNativeStub(value)) return value;
    if (typeof value === 'function' || isTarget(value) || nodeOf(value) !== undefined) {
      this.#host.holds(value);
      this.#made.push(() => this.#host.letsGo(value));
      return typeof value === 'function' ? exposeFunction(value, this.#host) : exposeTarget(value, this.#host);
    }
    return value instanceof Promise ? this.#promised(value) : undefined;
  }

  #promised(value: PromiseLike<unknown>): object {
    const exposed = Promise.resolve(value).then(this.#later());
    exposed.catch(() => {}); // the client is told, where what it is in is sent
    return new RpcPromise(exposed as Promise<undefined>);
  }

  #special(value: object): unknown {
    const exposed = this.#later();
    if (value instanceof ReadableStream) return convertedReadable(value, exposed);
    if (value instanceof WritableStream) return convertedWritable(value, this.#host.take);
    if (value instanceof Response) {
      return value.body === null ? value : new Response(convertedReadable(value.body, exposed), value);
    }
    if (value instanceof Request) {
      return value.body === null ? value : new Request(value, { body: convertedReadable(value.body, exposed) });
    }
    if (Symbol.asyncIterator in value) return readableOf(value as AsyncIterable<unknown>, exposed);
    throw this.#refusal(describe(value));
  }

  #inside(value: object): object {
    if (this.#above.has(value)) throw this.#refusal('a cycle');
    this.#above.add(value);
    try {
      if (Array.isArray(value)) return this.#list(value);
      if (value instanceof Error) return this.#error(value);
      const copy = {};
      for (const name of Object.keys(value)) this.#property(value, name, copy);
      return copy;
    } finally {
      this.#above.delete(value);
    }
  }

  #list(value: unknown[]): unknown[] {
    const { longest } = this.#host;
    longest.length = Math.max(longest.length, value.length);
    return Array.from(value, (each, index) => this.#at(String(index), each));
  }

  #error(error: Error): Error {
    const names = Object.keys(error).filter((name) => !OF_ERRORS.has(name));
    if ('cause' in error) names.push('cause');
    if (error instanceof AggregateError) names.push('errors');
    if (names.length === 0) return error;
    const { name, message, stack } = error;
    const copy: Error = Object.create(Object.getPrototypeOf(error));
    for (const [key, value] of Object.entries({ name, message, stack })) {
      Object.defineProperty(copy, key, { value, configurable: true, writable: true });
    }
    for (const name of names) {
      try {
        this.#property(error, name, copy);
      } catch (refusal) {
        if (this.#role !== 'thrown') throw refusal;
      }
      // A session that finds these among the keys sends them twice, at every level of causes: that is soon without end.
      if (OF_ERRORS.has(name) && Object.hasOwn(copy, name)) Object.defineProperty(copy, name, { enumerable: false });
    }
    return copy;
  }

  #property(from: object, name: string, to: object): void {
    const given = (from as Record<string, unknown>)[name];
    // A session would call it, to wait for the object.
    if (name === 'then' && typeof given === 'function') throw this.#refusal('an object with a function called then');
    // Not by assignment, which would set a prototype where that is the name.
    const value = this.#at(name, given);
    Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true });
  }

  #at(name: string, value: unknown): unknown {
    this.#path.push(name);
    try {
      return this.expose(value);
    } finally {
      this.#path.pop();
    }
  }

  /** Exposes values that come later, from the same place. */
  #later(): (value: unknown) => unknown {
    const [host, what, role] = [this.#host, this.#place, this.#role];
    return (value) => expose(value, host, what, role);
  }

  get #place(): string {
    const path = this.#path.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join('');
    return path === '' ? this.#what : `${this.#what}: at value${path}`;
  }

  #refusal(kind: string): RpcError {
    return new RpcError('NOT_CLONEABLE', `${this.#place}: ${kind} cannot be sent to a Cap'n Web client: ${HINT}`);
  }
}

/** Properties that errors have beside those of an application. */
const OF_ERRORS: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause', 'errors']);

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

/** Converts each chunk on its way. */
type Convert = (chunk: unknown) => unknown;

/** A stream of what is made of another's chunks: it reads ahead no further than that one does. */
function convertedReadable(stream: ReadableStream, convert: Convert): ReadableStream {
  const reader = stream.getReader();
  return pulled(
    () => reader.read(),
    (reason) => reader.cancel(reason),
    convert,
  );
}

/** A stream of what is gone through. */
function readableOf(iterable: AsyncIterable<unknown>, convert: Convert): ReadableStream {
  const iterator = iterable[Symbol.asyncIterator]();
  return pulled(
    () => iterator.next(),
    async () => void (await iterator.return?.()),
    convert,
  );
}

/** A stream that writes what is made of its chunks to another. */
function convertedWritable(stream: WritableStream, convert: Convert): WritableStream {
  const writer = stream.getWriter();
  return new WritableStream({
    write: (chunk) => writer.write(convert(chunk)),
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
}

function pulled(
  next: () => Promise<{ done?: boolean | undefined; value?: unknown }>,
  cancel: (reason: unknown) => Promise<void>,
  convert: Convert,
): ReadableStream {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await next();
        if (done) controller.close();
        else controller.enqueue(convert(value));
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}
