import { RpcError } from '@lumenize/rpc';
import { isNativeStub, isPlainData, isSubscription, isTarget } from '@lumenize/rpc/adapter';
import { RpcPromise, RpcStub, RpcTarget } from 'capnweb';
import { exceeded } from './admission.ts';
import { disposeOf, type Exchange, exposeFunction, exposeTarget, originalOf, type Stub, stubAt } from './references.ts';

/**
 * Matches the names of the classes whose instances, but not those of subclasses, Cap'n Web copies. They contain no
 * references.
 */
const CARRIED =
  /^(Date|URL|Headers|Blob|ArrayBuffer|DataView|Buffer|(Uint8Clamped|(Ui|I)nt(8|16|32)|Big(Ui|I)nt64|Float(32|64))Array)$/;

/**
 * The role of a value that is exposed. A thrown value may contain no references, because nobody on Cap'n Web's side
 * would release them.
 */
type Role = 'result' | 'argument' | 'thrown';

/**
 * Returns the value to send for something that a method threw. Properties of an error that cannot be sent are left out.
 * If nothing can be sent, returns the error that says why.
 */
export function exposeThrown(error: unknown, exchange: Exchange, what: string): unknown {
  try {
    return expose(error, exchange, what, 'thrown');
  } catch (refusal) {
    return refusal;
  }
}

/**
 * Returns the value that Cap'n Web's session gets in place of a value of the server: a copy, with facades for targets
 * and functions. `what` begins the messages of errors. The stubs in an argument stay the server's; those in a result
 * are duplicated, because the session disposes of a result after sending it.
 * @throws {RpcError} `NOT_CLONEABLE` if the value contains something that Cap'n Web cannot carry
 */
export function expose(given: unknown, exchange: Exchange, what: string, role: Role = 'result'): unknown {
  /** The objects around the value that is being exposed, and the names under which they contain it. */
  const way: { readonly object: object; readonly name: string | number }[] = [];
  /** Functions that release the references created so far. */
  const made: (() => void)[] = [];
  try {
    return exposed(given);
  } catch (error) {
    // Nothing of the value is sent, so nobody else would release its references.
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
    if (isCarried(value)) return value;
    return streamed(value);
  }

  /** Returns the replacement for a value that travels by reference; undefined for other values. */
  function referenceTo(value: object): object | undefined {
    const { session, maxReferences } = exchange;
    const isStub = session.isStub(value);
    const isReference = typeof value === 'function' || value instanceof RpcTarget || isStub || isNativeStub(value);
    if (role === 'thrown' && isReference) throw refusal('what is by reference in what is thrown');
    const place = session.placeOf(value);
    const stub: object = place === undefined ? value : stubAt(place);
    if (stub !== value && stub instanceof RpcPromise) return promised(value as PromiseLike<unknown>);
    if (stub instanceof RpcStub && !(stub instanceof RpcPromise)) {
      if (role === 'argument') return stub;
      const duplicate = (stub as unknown as Stub).dup();
      made.push(() => disposeOf(duplicate));
      return duplicate;
    }
    // The platform's own stubs, some of which are functions, decide themselves which members can be reached.
    if (isNativeStub(value)) return value;
    if (typeof value === 'function' || isTarget(value) || isStub) {
      if (!session.holds(value) && session.held >= maxReferences) {
        throw exceeded('maxReferences', session.settings.limits, ': dispose of stubs no longer used');
      }
      session.retain(value);
      const release = () => session.release(value);
      made.push(release);
      const facade = typeof value === 'function' ? exposeFunction : exposeTarget;
      return facade(value as never, exchange, release);
    }
    return value instanceof Promise ? promised(value) : undefined;
  }

  function promised(value: PromiseLike<unknown>): object {
    const settled = Promise.resolve(value).then(later());
    settled.catch(() => {}); // the client receives the failure in place of the value
    return new RpcPromise(settled as Promise<undefined>);
  }

  function streamed(value: object): object {
    if (value instanceof WritableStream) return convertedWritable(value, exchange.take);
    if (value instanceof Response || value instanceof Request) {
      if (value.body === null) return value;
      const body = convertedReadable(value.body, later());
      return value instanceof Response
        ? new Response(body, value)
        : new Request(value, { body, duplex: 'half' } as RequestInit);
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
        // Not enumerable: a session sends enumerable ones twice at every level of causes, which soon has no end.
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
    // Not an assignment, which would set the prototype if the name is `__proto__`.
    Object.defineProperty(to, name, { value, enumerable, configurable: true, writable: true });
  }

  /** Exposes the value that an object contains under a name. */
  function within(object: object, name: string | number, value: unknown): unknown {
    way.push({ object, name });
    try {
      return exposed(value);
    } finally {
      way.pop();
    }
  }

  /** Returns a function that exposes values that arrive later at the same place. */
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

/** The standard properties of errors, apart from those that an application adds. */
const OF_ERRORS: readonly string[] = ['name', 'message', 'stack', 'cause', 'errors'];

function isCarried(value: object): boolean {
  const { constructor } = Object.getPrototypeOf(value);
  return CARRIED.test(constructor?.name) && constructor === (globalThis as Record<string, unknown>)[constructor.name];
}

const HINT = "return plain objects and lists, or connect with '@lumenize/rpc'";

function describe(value: object): string {
  if (isSubscription(value)) return 'a subscription';
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return name ? `a ${name}` : 'an instance of an unnamed class';
}

/**
 * Returns the value that the server's code gets for a value that Cap'n Web's session has read. Lists and objects are
 * changed in place, because nobody else has them. References are duplicated, because the session disposes of the values
 * that it has passed on.
 */
export function revive(value: unknown, exchange: Exchange): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
  if ((value as object) instanceof RpcStub) {
    // A reference that returns to the side where it came from is read as a promise.
    const own = (value as object) instanceof RpcPromise ? originalOf(value) : undefined;
    if (own !== undefined) return own;
    const stub = (value as Stub).dup();
    return exchange.session.stubFor(stub, () => disposeOf(stub));
  }
  exchange.admission.countObjects(1);
  if (Array.isArray(value)) {
    exchange.admission.noteList(value);
    for (const [index, each] of value.entries()) value[index] = revive(each, exchange);
    return value;
  }
  const isData: boolean = isPlainData(value);
  if (isData || value instanceof Error) {
    const fields = value as Record<string, unknown>;
    // Not enumerable in an AggregateError.
    const names = value instanceof AggregateError ? [...Object.keys(value), 'errors'] : Object.keys(value);
    exchange.admission.countObjects(unusedIndices(names) / INDICES_AN_OBJECT);
    for (const name of names) fields[name] = revive(fields[name], exchange);
    return value;
  }
  // If the platform has a `Buffer`, bytes arrive as one. It has methods of its own, and may share its memory.
  if (value instanceof Uint8Array && value.constructor !== Uint8Array) return new Uint8Array(value);
  if (value instanceof ReadableStream) return convertedReadable(value, exchange.take);
  if (value instanceof WritableStream) return convertedWritable(value, exchange.give);
  return value;
}

/** Number of unused indices that take as much memory as an object. */
const INDICES_AN_OBJECT = 16;
/** An index that V8 makes no room for, if it is the first. */
const FAR_INDEX = 1024;
/** Largest number of indices that V8 makes room for before it looks how many are in use. */
const MAX_UNUSED = 5000;

/**
 * Returns how many indices an object with these names has room for that it does not use. A session copies objects by
 * assigning to their properties, and V8 makes room for all indices below each.
 */
function unusedIndices(names: readonly string[]): number {
  // Indices come first, in ascending order.
  if (!/^\d+$/.test(names[0]) || Number(names[0]) >= FAR_INDEX) return 0;
  const last = Number(names.findLast((name) => /^\d+$/.test(name)));
  return Math.max(Math.min(last, MAX_UNUSED) - names.length, 0);
}

/** Converts a chunk of a stream. */
type Convert = (chunk: unknown) => unknown;

/** Returns a stream that maps the chunks of another stream or iterable, without reading ahead of its consumer. */
function convertedReadable(source: ReadableStream | AsyncIterable<unknown>, convert: Convert): ReadableStream {
  const reader = source instanceof ReadableStream ? source.getReader() : source[Symbol.asyncIterator]();
  const cancel = async (reason: unknown) => {
    await ('cancel' in reader ? reader.cancel(reason) : reader.return?.());
  };
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await ('read' in reader ? reader.read() : reader.next());
        if (done) return controller.close();
        controller.enqueue(orEnd(convert, value, cancel));
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}

/** Returns a stream that maps the chunks written to it, and writes them to another stream. */
function convertedWritable(stream: WritableStream, convert: Convert): WritableStream {
  const writer = stream.getWriter();
  const abort = (reason: unknown) => writer.abort(reason);
  return new WritableStream({
    write: (chunk) => writer.write(orEnd(convert, chunk, abort)),
    close: () => writer.close(),
    abort,
  });
}

/** Converts a chunk. If that throws, ends the other stream, which would stay open for ever. */
function orEnd(convert: Convert, chunk: unknown, end: (reason: unknown) => Promise<void>): unknown {
  try {
    return convert(chunk);
  } catch (error) {
    end(error).catch(() => {}); // the error of the chunk says more
    throw error;
  }
}
