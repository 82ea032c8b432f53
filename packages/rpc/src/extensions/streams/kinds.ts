import { READ_BYTES } from '#platform';
import { DATA, END, failureContent } from '../../protocol/channel.ts';
import { malformedFrame } from '../../protocol/errors.ts';
import { ABORT_SIGNAL, BYTES, ITERABLE, PROMISE, READABLE, WRITABLE } from '../../protocol/tags.ts';
import { hasBrand, isPromise } from '../../session/brand.ts';
import type { ChannelKind } from './channel.ts';
import type { Chunk, Consumer } from './consumer.ts';
import type { Producer } from './producer.ts';

/** The source of a channel's chunks. */
interface Source {
  next(): Promise<Chunk>;
  /** Releases the source, because no more chunks are wanted. */
  stop(reason: unknown): unknown;
}

// A received stream is watched for garbage collection through one of its own functions, which is collected when nobody
// can use the stream any more. The stream object may be collected earlier: in workerd, neither its reader or writer nor
// a pending read holds it.

const readable: ChannelKind = {
  name: READABLE,
  is: (value) => hasBrand(value, 'ReadableStream'),
  parts: (stream: ReadableStream) => (isByteStream(stream) ? [BYTES] : []),
  async begin(stream: ReadableStream, producer: Producer) {
    const reader = stream.getReader();
    void pump(producer, 'ReadableStream', {
      next: () => reader.read() as Promise<Chunk>,
      stop: (reason) => reader.cancel(reason),
    });
  },
  revive(consumer: Consumer, [kind]) {
    const isBytes = kind === BYTES;
    const deliver = ({ done, value }: Chunk, controller: ReadableStreamDefaultController): Promise<void> | void => {
      if (done) {
        controller.close();
        // A read into a buffer learns of the end only if it gets the buffer back.
        return (controller as { byobRequest?: { respond(bytes: number): void } | null }).byobRequest?.respond(0);
      }
      if (isBytes) {
        if (!ArrayBuffer.isView(value)) {
          const error = malformedFrame('a chunk of bytes that is none');
          consumer.stop(error);
          throw error;
        }
        // A byte stream refuses empty chunks.
        if (value.byteLength === 0) return pull(controller);
      }
      controller.enqueue(value);
    };
    const pull = (controller: ReadableStreamDefaultController): Promise<void> | void => {
      const chunk = consumer.next();
      return chunk instanceof Promise ? chunk.then((next) => deliver(next, controller)) : deliver(chunk, controller);
    };
    const source = {
      ...(isBytes ? { type: 'bytes', autoAllocateChunkSize: READ_BYTES } : {}),
      pull,
      cancel: (reason: unknown) => consumer.stop(reason),
    };
    // The stream buffers no chunks itself, because a chunk that is not read gives back no credit.
    return [new ReadableStream(source as UnderlyingSource, { highWaterMark: 0 }), pull];
  },
};

const writable: ChannelKind = {
  name: WRITABLE,
  isSink: true,
  is: (value) => hasBrand(value, 'WritableStream'),
  async begin(stream: WritableStream, consumer: Consumer) {
    const writer = stream.getWriter();
    // Notices a failure also while nothing is being written.
    writer.closed.catch((error) => consumer.stop(error));
    try {
      for (;;) {
        await writer.ready;
        const { done, value } = await consumer.next();
        if (done) break;
        writer.write(value).catch(() => {}); // `closed` reports failures
      }
      await writer.close();
      consumer.acknowledge();
    } catch (error) {
      consumer.stop(error);
      writer.abort(error).catch(() => {}); // the stream may have failed already
    }
  },
  revive(producer: Producer) {
    const write = async (chunk: unknown, { signal }: WritableStreamDefaultController) => {
      await producer.room;
      if (signal.aborted) return;
      try {
        await producer.data(chunk);
      } catch (error) {
        producer.fail(error);
        throw error;
      }
    };
    const stream = new WritableStream({
      start(controller) {
        producer.onStop = errorWeakly(controller);
        // The stream calls `abort` only after a write, and one that waits for credit may wait forever.
        controller.signal.addEventListener('abort', () => producer.wake());
      },
      write,
      // A stream drops its functions when it begins to close, so `close` holds this one.
      close: () => producer.close(write),
      abort: (reason) => producer.fail(reason),
    });
    return [stream, write];
  },
};

const promise: ChannelKind = {
  name: PROMISE,
  isSingle: true,
  is: (value) => isPromise(value),
  begin(value: Promise<unknown>, producer: Producer) {
    value.then(
      (settled) => producer.last(settled),
      (error) => producer.broke(error, 'Promise'),
    );
  },
  revive(consumer: Consumer) {
    const received = Promise.resolve(consumer.next()).then(({ value }) => value);
    // Prevents an unhandled rejection if nobody uses the promise.
    received.catch(() => {});
    return [received];
  },
};

/** A received signal aborts when the caller's signal does, and when the caller is gone. */
const signal: ChannelKind = {
  name: ABORT_SIGNAL,
  isSingle: true,
  isOfCall: true,
  is: (value) => hasBrand(value, 'AbortSignal'),
  parts: ({ aborted, reason }: AbortSignal) => (aborted ? [null, ...failureContent(reason)] : []),
  begin(value: AbortSignal, producer: Producer) {
    const abort = () => void producer.last(value.reason);
    value.addEventListener('abort', abort);
    producer.onLeave = () => value.removeEventListener('abort', abort);
  },
  revive(consumer: Consumer) {
    const controller = new AbortController();
    Promise.resolve(consumer.next()).then(
      ({ done, value }) => done || controller.abort(value),
      (error) => controller.abort(error),
    );
    return [controller.signal];
  },
};

const iterable: ChannelKind = {
  name: ITERABLE,
  is: (value) => Symbol.asyncIterator in value,
  begin(value: AsyncIterable<unknown>, producer: Producer) {
    let iterator: AsyncIterator<unknown> | undefined;
    void pump(producer, 'async iterable', {
      next() {
        iterator ??= value[Symbol.asyncIterator]();
        return iterator.next();
      },
      // A generator that was not asked for a chunk may have begun before.
      stop: () => (iterator ?? (value as Partial<AsyncGenerator>)).return?.(undefined),
    });
  },
  revive(consumer: Consumer) {
    const iterator = new RemoteIterator(consumer);
    return [iterator, iterator];
  },
};

/** The kinds of values that channels carry. The first kind that recognizes a value sends it. */
export const KINDS: readonly ChannelKind[] = [readable, writable, promise, signal, iterable];

/** The iterator that a received async iterable becomes. Like a generator, it can be iterated once. */
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

/** Returns true if a stream is a byte stream. */
function isByteStream(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false; // other streams have no such reader
  }
}

/**
 * Returns a function that fails a stream without holding it: a stream that nobody holds must be collected although its
 * channel is open. It is created in a function of its own, so that it holds no other variables.
 */
function errorWeakly(controller: WritableStreamDefaultController): (reason: unknown) => void {
  const weak = new WeakRef(controller);
  return (reason) => weak.deref()?.error(reason);
}

/** Sends chunks while they are wanted, and asks the source for the next one only then. */
async function pump(producer: Producer, what: string, source: Source): Promise<void> {
  let isOver = false;
  const stop = async (reason: unknown) => {
    isOver = true;
    // After a loss, the source may pass something over the next connection.
    await undefined;
    try {
      await source.stop(reason);
    } catch (error) {
      producer.report(error, what);
    }
  };
  producer.onStop = stop;
  // No code of the source runs while its value is still being written.
  await undefined;
  try {
    for (;;) {
      if (producer.room !== undefined) await producer.room;
      if (!producer.isOpen) return;
      const chunk = await source.next();
      // Meanwhile, other channels may have used up the room.
      if (producer.room !== undefined) await producer.room;
      if (chunk.done) isOver = true;
      await producer.data(chunk.value, chunk.done ? END : DATA);
    }
  } catch (error) {
    if (!producer.isOpen) return;
    producer.broke(error, what);
    if (!isOver) stop(error);
  }
}
