import { CloneError } from '@lumenize/structured-clone';
import { needsBodies } from '../../protocol/errors.ts';
import { ABORT_SIGNAL, PROMISE, READABLE } from '../../protocol/tags.ts';
import type { Chunk, Consumer } from './consumer.ts';
import type { Producer } from './producer.ts';

/** What sending a value needs of its session. */
export interface SendingHost {
  /** Sends a chunk with Blobs and the like in it, when their bytes have been read. */
  dataWithBodies(producer: Producer, chunk: unknown): Promise<void>;
  /** Told of what a source of ours threw. */
  onError(error: unknown, what: string): void;
}

/** Where chunks come from. */
interface Source {
  next(): Promise<Chunk> | Chunk;
  /** Lets go of it: no more chunks are wanted. */
  stop(reason: unknown): unknown;
}

/** Makes the error for a value that cannot be sent, with the path to it once the codec has it. */
export function unsendable(value: object, why: string): CloneError {
  return Object.assign(new CloneError('NOT_CLONEABLE', why), { subject: value });
}

/** Whether a stream is one of bytes. */
export function isByteStream(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false; // that is how streams tell
  }
}

/** Begins to send what a value of ours holds, where it produces chunks. */
export function startProducing(name: string, value: object, producer: Producer, host: SendingHost): void {
  switch (name) {
    case PROMISE:
      (value as Promise<unknown>).then(
        (settled) => sendLast(producer, settled, host),
        (error) => fail(producer, error, 'Promise', host),
      );
      return;
    case ABORT_SIGNAL: {
      const signal = value as AbortSignal;
      const abort = () => void sendLast(producer, signal.reason, host);
      signal.addEventListener('abort', abort);
      producer.onLeave = () => signal.removeEventListener('abort', abort);
      return;
    }
    case READABLE: {
      const reader = (value as ReadableStream).getReader();
      const source = { next: () => reader.read() as Promise<Chunk>, stop: (reason: unknown) => reader.cancel(reason) };
      return void pump(() => source, producer, 'ReadableStream', host);
    }
    default: {
      const open = (): Source => {
        const iterator = (value as AsyncIterable<unknown>)[Symbol.asyncIterator]();
        return { next: () => iterator.next(), stop: () => iterator.return?.() };
      };
      return void pump(open, producer, 'async iterable', host);
    }
  }
}

/** Writes what arrives into a stream of ours. */
export async function startConsuming(stream: WritableStream, consumer: Consumer): Promise<void> {
  const writer = stream.getWriter();
  // Also while nothing is being written.
  writer.closed.catch((error) => consumer.stop(error));
  try {
    for (;;) {
      await writer.ready;
      const chunk = await consumer.next();
      if (chunk.done) break;
      writer.write(chunk.value).catch(() => {}); // `closed` tells
    }
    await writer.close();
    consumer.acknowledge();
  } catch (error) {
    consumer.stop(error);
    writer.abort(error).catch(() => {}); // it has failed itself
  }
}

/** Sends chunks while they are wanted, and asks the source for the next one only then. */
async function pump(open: () => Source, producer: Producer, what: string, host: SendingHost): Promise<void> {
  // Nothing of the source runs while its value is still being sent.
  await undefined;
  let source: Source | undefined;
  let isOver = false;
  const stop = async (reason: unknown) => {
    isOver = true;
    try {
      await source?.stop(reason);
    } catch (error) {
      host.onError(error, what);
    }
  };
  producer.onStop = stop;
  try {
    if (producer.isOpen) source = open();
    while (source !== undefined) {
      const { room } = producer;
      if (room !== undefined) await room;
      if (!producer.isOpen) return;
      const chunk = await source.next();
      // Meanwhile others may have sent all that may wait.
      if (producer.room !== undefined) await producer.room;
      if (!producer.isOpen) return;
      if (chunk.done) {
        isOver = true;
        return producer.end(chunk.value);
      }
      await send(producer, chunk.value, host);
    }
  } catch (error) {
    if (!producer.isOpen) return;
    fail(producer, error, what, host);
    if (!isOver) stop(error);
  }
}

/** Sends a chunk: only one with Blobs and the like in it has to be waited for. */
function send(producer: Producer, chunk: unknown, host: SendingHost): Promise<void> | undefined {
  try {
    producer.data(chunk);
    return undefined;
  } catch (error) {
    if (!needsBodies(error)) throw error;
    return host.dataWithBodies(producer, chunk);
  }
}

async function sendLast(producer: Producer, chunk: unknown, host: SendingHost): Promise<void> {
  try {
    await send(producer, chunk, host);
  } catch (error) {
    producer.fail(error);
  }
}

function fail(producer: Producer, error: unknown, what: string, host: SendingHost): void {
  if (producer.isOpen) host.onError(error, what);
  producer.fail(error);
}
