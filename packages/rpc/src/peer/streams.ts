import { RpcTarget } from '#platform';
import { RpcError } from '../errors.ts';
import { OURS } from './members.ts';
import type { Feature, Mark } from './options.ts';
import type { Peer } from './peer.ts';
import { type Import, referencesOf } from './references.ts';
import { nodeOf, stubOf } from './stub.ts';
import { ITEMS_OF, type Writer } from './writer.ts';

/** Calls of a stream's function that are under way at once: this is the credit. */
const PULLS = 8;
/** The most that the chunks of one answer come to, about. A chunk counts as its bytes, or characters, and more. */
const ANSWER_BYTES = 262_144;
const CHUNK_BYTES = 256;
/** The chunks of the first answer. Each answer has up to twice as many: who reads little makes little be produced. */
const FIRST_CHUNKS = 4;

/** An answer to a pull: whether the stream has ended, and its next chunks. */
type Pulled = [isDone: 0 | 1, ...chunks: unknown[]];
type Pull = (...reason: [] | [reason: unknown]) => Promise<Pulled>;

const DONE = { done: true, value: undefined } as const;

/** Passes what can be iterated as a function that is called for the next chunks. */
function passSource(key: object, name: string, open: () => AsyncIterator<unknown>, writer: Writer): Mark {
  const { peer, name: method } = writer;
  const references = referencesOf(peer);
  const mostBytes = Math.min(ANSWER_BYTES, peer.settings.limits.maxMessageBytes);
  let iterator: AsyncIterator<unknown>;
  /** The read that is under way, if there is one, and its outcome once there is one. */
  let reading: Promise<void> | undefined;
  let read: IteratorResult<unknown> | undefined;
  /** Pulls run one after the other. */
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;
  let most = FIRST_CHUNKS;

  /** Waits for what is read if it is there within the turn. */
  const readInTurn = async (): Promise<void> => {
    for (let job = 0; job < 8 && reading !== undefined && read === undefined; job++) await undefined;
  };

  /** Returns the next chunk, and those behind it that are ready. */
  const next = async (): Promise<Pulled> => {
    const chunks: unknown[] = [];
    for (let bytes = 0; !isOver && chunks.length < most; ) {
      reading ??= iterator.next().then((result) => {
        read = result;
      });
      reading.catch(() => {}); // whoever pulls next gets the error
      // The first chunk is waited for. The others are taken if they are there within the turn.
      if (chunks.length === 0) {
        await reading.catch((error) => {
          isOver = true; // an error is told once
          throw error;
        });
      } else await readInTurn();
      if (read === undefined) break;
      const { done, value } = read;
      bytes += CHUNK_BYTES + sizeOf(value);
      if (chunks.length > 0 && bytes > mostBytes) break; // it goes first the next time
      reading = read = undefined;
      if (done) isOver = true;
      else chunks.push(value);
    }
    most *= 2;
    const pulled: Pulled = [isOver ? 1 : 0, ...chunks];
    ITEMS_OF.set(pulled, method);
    return pulled;
  };
  const cancel = async (reason: unknown) => {
    if (isOver) return;
    isOver = true;
    const ended = Promise.resolve(iterator.return?.(reason));
    await readInTurn();
    if (reading === undefined || read !== undefined) return void (await ended);
    // It comes to its end when it comes to what is read. Nobody waits for that.
    ended.catch(() => {});
  };
  const pull: Pull = async (...reason) => {
    if (reason.length > 0) {
      await cancel(reason[0]);
      return [1];
    }
    const pulled = last.then(next);
    last = pulled.catch(() => {});
    return pulled;
  };
  OURS.add(pull);
  const id = references.pass(pull, writer, {
    key,
    // Only now, so that what is not sent stays as it was.
    open() {
      references.streams++;
      try {
        iterator = open();
      } catch (error) {
        iterator = { next: () => Promise.reject(error) };
      }
    },
    dispose(reason) {
      references.streams--;
      cancel(reason).catch(() => {}); // it is over, whatever it says to that
    },
  });
  return { name, parts: [id] };
}

function sizeOf(chunk: unknown): number {
  const { byteLength, length } = Object(chunk) as { byteLength?: unknown; length?: unknown };
  return Number(byteLength ?? length) || 0;
}

/** Returns the iterator of a stream, whose `return` cancels the stream with a reason. */
function iteratorOf(stream: ReadableStream): AsyncIterator<unknown> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: async (reason) => {
      await reader.cancel(reason);
      return DONE;
    },
  };
}

/** Returns true if a stream is a byte stream: others have no such reader. */
function isByteStream(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** Passes an object whose methods write to a stream. */
function passSink(stream: WritableStream, writer: Writer): Mark {
  const references = referencesOf(writer.peer);
  let sink: WritableStreamDefaultWriter;
  let isOver = false;
  let next = 0;
  class Sink extends RpcTarget {
    /** A write may be refused, and those behind it are under way by then. */
    async write(number: number, chunk: unknown): Promise<void> {
      if (number !== next) throw new RpcError('NOT_EXECUTED', 'a chunk in front of this one was refused');
      next++;
      await sink.write(chunk);
    }
    async close(): Promise<void> {
      isOver = true;
      await sink.close();
    }
    async abort(reason: unknown): Promise<void> {
      isOver = true;
      await sink.abort(reason);
    }
  }
  const target = new Sink();
  OURS.add(target);
  const id = references.pass(target, writer, {
    key: stream,
    open() {
      sink = stream.getWriter();
      sink.closed.catch(() => {}); // whoever writes gets the error
      references.streams++;
    },
    dispose(reason) {
      references.streams--;
      if (!isOver) sink.abort(reason).catch(() => {}); // it has failed by itself
    },
  });
  return { name: 'sink', parts: [id] };
}

function pass(value: object, writer: Writer): Mark | undefined {
  // A stream that is locked is used elsewhere, and refused as what cannot be sent.
  if (value instanceof ReadableStream) {
    if (value.locked) return undefined;
    return passSource(value, isByteStream(value) ? 'bytes-stream' : 'stream', () => iteratorOf(value), writer);
  }
  if (value instanceof WritableStream) return value.locked ? undefined : passSink(value, writer);
  const iterate = (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator];
  return typeof iterate === 'function' ? passSource(value, 'iterable', () => iterate.call(value), writer) : undefined;
}

/** Reads from a source of the other side, with several pulls under way. */
function takeChunks(peer: Peer, [id]: unknown[]): AsyncIterableIterator<unknown> {
  const references = referencesOf(peer);
  const pull = references.take(id, (imported) => stubOf(peer, imported, true)) as Pull & Disposable;
  const source = nodeOf(pull)!.base as Import;
  const pulls: Promise<Pulled>[] = [];
  let ready: unknown[] = [];
  /** True once the source has nothing more, or nobody wants it. */
  let isOver = false;
  /** Lets go of the source. `reason` is for one that has not ended. */
  const end = async (...reason: [] | [reason: unknown]): Promise<void> => {
    if (isOver) return;
    isOver = true;
    if (reason.length > 0) await pull(...reason).catch(() => {}); // it has ended, whatever it says to that
    pull[Symbol.dispose]();
  };
  return {
    async next() {
      while (ready.length === 0) {
        if (isOver) return DONE;
        references.used(source);
        // More and more at once, as long as somebody reads.
        const most = pulls.length === 0 ? 2 : PULLS;
        while (pulls.length < most) {
          const pulled = Promise.resolve(pull());
          pulled.catch(() => {}); // the reader gets the error when it comes to it
          pulls.push(pulled);
        }
        try {
          const [isDone, ...chunks] = await pulls.shift()!;
          ready.push(...chunks);
          if (isDone) void end();
        } catch (error) {
          void end(error);
          // Whether the call has run is of no interest to who reads.
          if (!(error instanceof RpcError && /^(OUTCOME_UNKNOWN|NOT_EXECUTED)$/.test(error.code))) throw error;
          throw ofConnection(error);
        }
      }
      return { done: false, value: ready.shift() };
    },
    async return(reason) {
      ready = [];
      await end(reason);
      return DONE;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Returns the error of a stream whose connection has ended. */
function ofConnection(error: Error): RpcError {
  const { message } = (error.cause ?? error) as Error;
  return new RpcError('REFERENCE_LOST', `it ended with its connection: ${message}`, { cause: error });
}

function takeStream(peer: Peer, parts: unknown[], isBytes: boolean): ReadableStream {
  const chunks = takeChunks(peer, parts);
  const pull = async (controller: ReadableStreamDefaultController | ReadableByteStreamController): Promise<void> => {
    const { done, value } = await chunks.next();
    if (done) {
      controller.close();
      // A read into a buffer learns of the end only if it gets the buffer back.
      (controller as Partial<ReadableByteStreamController>).byobRequest?.respond(0);
    } else if (isBytes && (value as Uint8Array).byteLength === 0)
      return pull(controller); // a byte stream refuses empty chunks
    else controller.enqueue(value as never);
  };
  const source = { ...(isBytes && { type: 'bytes' }), pull, cancel: (reason: unknown) => void chunks.return!(reason) };
  return new ReadableStream(source as UnderlyingSource, { highWaterMark: 0 });
}

interface RemoteSink extends Disposable {
  write(number: number, chunk: unknown): Promise<void>;
  close(): Promise<void>;
  abort(reason: unknown): Promise<void>;
}

function takeSink(peer: Peer, [id]: unknown[]): WritableStream {
  const references = referencesOf(peer);
  const sink = references.take(id, (imported) => stubOf(peer, imported)) as RemoteSink;
  const target = nodeOf(sink)!.base as Import;
  const writes: Promise<void>[] = [];
  let number = 0;
  const end = () => sink[Symbol.dispose]();
  let controller: WritableStreamDefaultController;
  target.end = (reason) => controller.error(ofConnection(reason as Error));
  return new WritableStream({
    start(given) {
      controller = given;
    },
    async write(chunk) {
      references.used(target);
      const written = sink.write(number++, chunk).then(() => {});
      // A stream whose write fails is neither closed nor aborted.
      written.catch((error) => {
        controller.error(error);
        end();
      });
      writes.push(written);
      if (writes.length >= PULLS) await writes.shift();
    },
    async close() {
      try {
        for (const written of writes.splice(0)) await written;
        await sink.close();
      } finally {
        end();
      }
    },
    async abort(reason) {
      try {
        await sink.abort(reason);
      } finally {
        end();
      }
    },
  });
}

/** Streams and async iterables, in both directions. */
export const streams: Feature = {
  pass,
  revive: {
    stream: (peer, parts) => takeStream(peer, parts, false),
    'bytes-stream': (peer, parts) => takeStream(peer, parts, true),
    iterable: takeChunks,
    sink: takeSink,
  },
};
