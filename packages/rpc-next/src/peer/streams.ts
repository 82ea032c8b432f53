import { RpcTarget } from '#platform';
import { malformed, RpcError } from '../errors.ts';
import { OURS } from './members.ts';
import type { Feature, Mark } from './options.ts';
import type { Peer } from './peer.ts';
import { type References, referencesOf } from './references.ts';
import { stubOf } from './stub.ts';
import { ITEMS_OF, type Writer } from './writer.ts';

/** Calls of a stream's function that are under way at once: this is the credit. */
const PULLS = 8;
/** What the chunks of one answer come to at most, about. A chunk counts as its bytes, or characters, and more. */
const ANSWER_BYTES = 262_144;
const CHUNK_BYTES = 256;

/** An answer to a pull: whether the stream has ended, and its next chunks. */
type Pulled = [isDone: 0 | 1, ...chunks: unknown[]];
type Pull = (...reason: [] | [reason: unknown]) => Promise<Pulled>;

/** Reads a stream or an iterable, for the other side. */
class Source {
  declare private readonly iterator: AsyncIterator<unknown>;
  /** The read that is under way, if there is one, and its outcome once there is one. */
  declare private reading: Promise<void> | undefined;
  declare private read: IteratorResult<unknown> | undefined;
  /** Pulls run one after the other. */
  declare private last: Promise<unknown>;
  declare private isOver: boolean;
  declare private readonly mostBytes: number;
  /** The method that it belongs to. */
  declare private readonly name: string;

  constructor(iterator: AsyncIterator<unknown>, { peer, name }: Writer) {
    this.iterator = iterator;
    this.name = name;
    this.mostBytes = Math.min(ANSWER_BYTES, peer.settings.limits.maxMessageBytes);
    this.reading = this.read = undefined;
    this.last = Promise.resolve();
    this.isOver = false;
  }

  pull(reason: [] | [reason: unknown]): Promise<Pulled> {
    if (reason.length > 0) return Promise.resolve(this.cancel(reason[0])).then(() => [1]);
    const pulled = this.last.then(() => this.next());
    this.last = pulled.catch(() => {});
    return pulled;
  }

  /** Returns the next chunk, and those behind it that are ready. */
  private async next(): Promise<Pulled> {
    const chunks: unknown[] = [];
    for (let bytes = 0; !this.isOver; ) {
      this.reading ??= this.iterator.next().then((read) => {
        this.read = read;
      });
      // The first chunk is waited for. The others are taken if they are there within the turn.
      if (chunks.length === 0) await this.reading.catch((error) => this.fail(error));
      else for (let job = 0; job < 8 && this.read === undefined; job++) await undefined;
      const { read } = this;
      if (read === undefined) break;
      bytes += CHUNK_BYTES + sizeOf(read.value);
      if (chunks.length > 0 && bytes > this.mostBytes) break; // it goes first the next time
      this.reading = this.read = undefined;
      if (read.done) this.isOver = true;
      else chunks.push(read.value);
    }
    const pulled: Pulled = [this.isOver ? 1 : 0, ...chunks];
    ITEMS_OF.set(pulled, this.name);
    return pulled;
  }

  /** Ends after an error: it is told once. */
  private fail(error: unknown): never {
    this.isOver = true;
    throw error;
  }

  cancel(reason?: unknown): unknown {
    if (this.isOver) return undefined;
    this.isOver = true;
    this.reading?.catch(() => {}); // nobody waits for it any more
    return this.iterator.return?.(reason);
  }
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
      return { done: true, value: undefined };
    },
  };
}

function passSource(iterator: AsyncIterator<unknown>, name: string, writer: Writer): Mark {
  const references = referencesOf(writer.peer);
  const source = new Source(iterator, writer);
  const open = () => void references.streams++;
  const dispose = (reason?: RpcError) => {
    references.streams--;
    void Promise.resolve(source.cancel(reason)).catch(() => {}); // it is over, whatever it says to that
  };
  const pull = (...reason: [] | [unknown]) => source.pull(reason);
  OURS.add(pull);
  return { name, parts: [references.pass(pull, writer, { open, dispose })] };
}

/** The object whose methods write to a stream, for the other side. */
function passSink(stream: WritableStream, writer: Writer): Mark {
  const references = referencesOf(writer.peer);
  const sink = stream.getWriter();
  let isOver = false;
  class Sink extends RpcTarget {
    async write(...chunks: unknown[]): Promise<void> {
      for (const chunk of chunks) await sink.write(chunk);
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
  const open = () => void references.streams++;
  const dispose = (reason?: RpcError) => {
    references.streams--;
    if (!isOver) sink.abort(reason).catch(() => {}); // it has failed by itself
  };
  sink.closed.catch(() => {}); // whoever writes gets the error
  const target = new Sink();
  OURS.add(target);
  return { name: 'sink', parts: [references.pass(target, writer, { open, dispose })] };
}

function pass(value: object, writer: Writer): Mark | undefined {
  if (value instanceof ReadableStream) return passSource(iteratorOf(value), 'stream', writer);
  if (value instanceof WritableStream) return passSink(value, writer);
  const iterate = (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator];
  return typeof iterate === 'function' ? passSource(iterate.call(value), 'iterable', writer) : undefined;
}

/** Reads from a source of the other side, with several pulls under way. */
class Chunks implements AsyncIterableIterator<unknown> {
  declare private readonly pull: Pull & Disposable;
  declare private readonly references: References;
  declare private readonly pulls: Promise<Pulled>[];
  declare private ready: unknown[];
  /** True once the source has nothing more, and once everything was read. */
  declare private isOver: boolean;
  declare private isClosed: boolean;

  constructor(references: References, pull: Pull & Disposable) {
    this.references = references;
    this.pull = pull;
    this.pulls = [];
    this.ready = [];
    this.isOver = this.isClosed = false;
    references.streams++;
  }

  async next(): Promise<IteratorResult<unknown>> {
    while (this.ready.length === 0) {
      if (this.isOver) {
        this.close();
        return { done: true, value: undefined };
      }
      // More and more at once, as long as somebody reads.
      const most = this.pulls.length === 0 ? 2 : PULLS;
      while (this.pulls.length < most) {
        const pulled = Promise.resolve(this.pull());
        pulled.catch(() => {}); // the reader gets the error when it comes to it
        this.pulls.push(pulled);
      }
      let pulled: Pulled;
      try {
        pulled = await this.pulls.shift()!;
      } catch (error) {
        this.end();
        this.close();
        // Whether the call has run is of no interest to who reads.
        if (!(error instanceof RpcError && error.code === 'OUTCOME_UNKNOWN')) throw error;
        const { message } = (error.cause ?? error) as Error;
        throw new RpcError('REFERENCE_LOST', `it ended with its connection: ${message}`, { cause: error });
      }
      if (!Array.isArray(pulled)) throw malformed('chunks');
      const [isDone, ...chunks] = pulled;
      this.ready.push(...chunks);
      if (isDone) this.end();
    }
    return { done: false, value: this.ready.shift() };
  }

  async return(reason?: unknown): Promise<IteratorResult<unknown>> {
    if (!this.isOver) {
      if (reason !== undefined) this.pull(reason).catch(() => {}); // it is told, and nothing waits for that
      this.end();
    }
    this.ready = [];
    this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Asks for nothing more. */
  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.pull[Symbol.dispose]();
  }

  /** Notes that nothing more is read. */
  private close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.references.streams--;
  }
}

function takeChunks(peer: Peer, [id]: unknown[]): Chunks {
  const references = referencesOf(peer);
  return new Chunks(references, references.take(id, (imported) => stubOf(peer, imported, true)) as Pull & Disposable);
}

function takeStream(peer: Peer, parts: unknown[]): ReadableStream {
  const chunks = takeChunks(peer, parts);
  const source: UnderlyingSource<unknown> = {
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => void chunks.return(reason),
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

interface RemoteSink extends Disposable {
  write(...chunks: unknown[]): Promise<void>;
  close(): Promise<void>;
  abort(reason: unknown): Promise<void>;
}

function takeSink(peer: Peer, [id]: unknown[]): WritableStream {
  const references = referencesOf(peer);
  const sink = references.take(id, (imported) => stubOf(peer, imported)) as RemoteSink;
  const writes: Promise<void>[] = [];
  references.streams++;
  const end = () => {
    references.streams--;
    sink[Symbol.dispose]();
  };
  return new WritableStream({
    async write(chunk) {
      const written = sink.write(chunk).then(() => {});
      written.catch(() => {}); // the next write, or the close, gets the error
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
    stream: takeStream,
    iterable: takeChunks,
    sink: takeSink,
  },
};
