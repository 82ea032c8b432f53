import { READ_BYTES } from '#platform';
import { malformedFrame } from '../../protocol/errors.ts';
import type { Chunk, Consumer } from './consumer.ts';
import type { Producer } from './producer.ts';

/**
 * A stream, and one of its own functions. The function is collected when nobody can use the stream any more; the stream as an object
 * may be before: in workerd neither its reader or writer nor a pending read holds it.
 */
export type ReceivedStream = readonly [stream: ReadableStream | WritableStream, held: object];

/** Makes the stream that a consumer's chunks are read from. It holds none of them itself: what is not read gives no credit. */
export function receiveReadable(consumer: Consumer, isBytes: boolean): ReceivedStream {
  const pull = (controller: ReadableStreamDefaultController): Promise<void> | void => {
    const chunk = consumer.next();
    return chunk instanceof Promise
      ? chunk.then((arrived) => deliver(arrived, controller, isBytes, pull))
      : deliver(chunk, controller, isBytes, pull);
  };
  const kind = isBytes ? { type: 'bytes', autoAllocateChunkSize: READ_BYTES } : {};
  const source = { ...kind, pull, cancel: (reason: unknown) => consumer.stop(reason) };
  return [new ReadableStream(source as UnderlyingSource, { highWaterMark: 0 }), pull];
}

function deliver(
  chunk: Chunk,
  controller: ReadableStreamDefaultController,
  isBytes: boolean,
  pull: (controller: ReadableStreamDefaultController) => Promise<void> | void,
): Promise<void> | void {
  if (chunk.done) {
    controller.close();
    // A read into a buffer is only told of the end if it gets the buffer back.
    return (controller as { byobRequest?: { respond(bytes: number): void } | null }).byobRequest?.respond(0);
  }
  if (isBytes) {
    if (!ArrayBuffer.isView(chunk.value)) throw malformedFrame('a chunk of bytes that is none');
    // A stream of bytes refuses chunks without any.
    if (chunk.value.byteLength === 0) return pull(controller);
  }
  controller.enqueue(chunk.value);
}

/** What an async iterable arrives as: it can be iterated once, like a generator. */
class RemoteIterator implements AsyncIterableIterator<unknown> {
  readonly #consumer: Consumer;

  constructor(consumer: Consumer) {
    this.#consumer = consumer;
  }

  async next(): Promise<Chunk> {
    return this.#consumer.next(this);
  }

  async return(value?: unknown): Promise<Chunk> {
    this.#consumer.stop();
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<Chunk> {
    this.#consumer.stop(error);
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#consumer.stop();
  }
}

export function receiveIterable(consumer: Consumer): AsyncIterable<unknown> {
  return new RemoteIterator(consumer);
}

/** Makes the stream whose chunks a producer sends. */
export function receiveWritable(producer: Producer): ReceivedStream {
  const write = async (chunk: unknown) => {
    await producer.room;
    try {
      producer.data(chunk);
    } catch (error) {
      producer.fail(error);
      throw error;
    }
  };
  const stream = new WritableStream({
    start(controller) {
      producer.onStop = errorWeakly(controller);
    },
    write,
    // A stream lets go of its functions when it begins to close.
    close: () => producer.close(write),
    abort: (reason) => producer.fail(reason),
  });
  return [stream, write];
}

/**
 * Weakly: a stream that nobody holds is to be collected although its channel is open. By itself, so that no other variable is
 * kept with the function in it.
 */
function errorWeakly(controller: WritableStreamDefaultController): (reason: unknown) => void {
  const weak = new WeakRef(controller);
  return (reason) => weak.deref()?.error(reason);
}

export function receivePromise(consumer: Consumer): Promise<unknown> {
  const promise = Promise.resolve(consumer.next()).then(({ value }) => value);
  // Whoever does not look at it need not be told that it failed.
  promise.catch(() => {});
  return promise;
}

/** Makes the signal that aborts when the caller's does, and when the caller is gone. */
export function receiveSignal(consumer: Consumer): AbortSignal {
  const controller = new AbortController();
  Promise.resolve(consumer.next()).then(
    ({ done, value }) => done || controller.abort(value),
    (error) => controller.abort(error),
  );
  return controller.signal;
}
