import { part } from '../case.ts';
import type { Untyped } from '../context.ts';
import { expect } from '../expect.ts';

/** Chunks of 64 KiB that may be on the way to a reader who does not read: 8 MiB. */
const MOST_ON_THE_WAY = 128;

export const STREAMS = part(
  'streams',
  [
    {
      name: 'a ReadableStream of bytes is a result',
      async run({ untyped }) {
        const chunks = await collect(await untyped.bytes(4, 1000));
        expect(joined(chunks)).toEqual(joined([0, 1, 2, 3].map((n) => new Uint8Array(1000).fill(n))));
      },
    },
    {
      name: 'a ReadableStream of objects is a result',
      async run({ untyped }) {
        expect(await collect(await untyped.objects(3))).toEqual([0, 1, 2].map((n) => ({ n, at: new Date(0) })));
      },
    },
    {
      name: 'a ReadableStream in data arrives there',
      async run({ untyped }) {
        const { name, stream } = await untyped.streamInData();
        expect(name).toBe('two');
        expect((await collect(stream)).length).toBe(2);
      },
    },
    {
      name: 'a ReadableStream of a megabyte of bytes keeps order and content',
      async run({ untyped }) {
        const bytes = joined(await collect(await untyped.bytes(16, 65_536)));
        expect(bytes.length).toBe(1_048_576);
        expect(bytes.every((byte, index) => byte === index >> 16)).toBe(true);
      },
    },
    {
      name: 'several streams are read at the same time',
      async run({ untyped }) {
        const streams: ReadableStream[] = await Promise.all([
          untyped.objects(5),
          untyped.bytes(5, 10),
          untyped.objects(7),
        ]);
        const read = await Promise.all(streams.map(collect));
        expect(read.map(({ length }) => length > 0)).toEqual([true, true, true]);
        expect([read[0].length, read[2].length]).toEqual([5, 7]);
      },
    },
    {
      name: 'calls are answered while a stream is open',
      async run({ untyped }) {
        const reader = (await untyped.objects(1000)).getReader();
        await reader.read();
        expect(await untyped.sum(1, 2)).toBe(3);
        await reader.cancel();
      },
    },
    {
      name: 'the error of a ReadableStream reaches its reader',
      async run({ untyped }) {
        const reader = (await untyped.failingStream(2)).getReader();
        const outcomes = await readUntilError(reader);
        expect(outcomes).toMatchObject({ error: { message: 'the stream broke' } });
        expect(outcomes.error).toBeInstanceOf(RangeError);
      },
    },
    {
      name: 'a reader that cancels reaches the producer, with the reason',
      needs: ['journal'],
      async run({ untyped, key, until, journal }) {
        const reader = (await untyped.objects(100_000, key)).getReader();
        await reader.read();
        await reader.cancel(new Error('read enough'));
        await until(journal, (events) => events.includes('cancelled: read enough'));
      },
    },
    {
      name: 'a producer is not ahead of a reader that does not read by more than the window',
      needs: ['journal'],
      async run({ untyped, key, journal }) {
        const reader = (await untyped.objects(100_000, key)).getReader();
        await reader.read();
        for (let trip = 0; trip < 20; trip++) await untyped.sum(1);
        expect((await journal()).length).toBeAtMost(10_000);
        await reader.cancel();
      },
    },
    {
      name: 'a ReadableStream of bytes is an argument',
      async run({ untyped }) {
        const stream = streamOf([new Uint8Array([1, 2]), new Uint8Array([3])]);
        const chunks = await untyped.readAll(stream);
        expect(joined(chunks)).toEqual(new Uint8Array([1, 2, 3]));
      },
    },
    {
      name: 'a ReadableStream of objects is an argument',
      async run({ untyped }) {
        expect(await untyped.readAll(streamOf([{ a: 1 }, 'text', null]))).toEqual([{ a: 1 }, 'text', null]);
      },
    },
    {
      name: 'the error of a ReadableStream among the arguments reaches the server',
      async run({ untyped }) {
        const stream = new ReadableStream({
          pull(controller) {
            controller.error(new RangeError('from the client'));
          },
        });
        expect(await untyped.whatTheStreamThrows(stream)).toEqual({ isRangeError: true, message: 'from the client' });
      },
    },
    {
      name: 'a stream of the client is pulled no further ahead of the server than the window',
      async run({ untyped }) {
        let pulled = 0;
        const stream = new ReadableStream({
          pull(controller) {
            pulled++;
            controller.enqueue(new Uint8Array(65_536));
          },
        });
        const reading = untyped.readSome(stream, 2);
        for (let trip = 0; trip < 20; trip++) await untyped.sum(1);
        expect(pulled).toBeAtLeast(2);
        expect(pulled).toBeAtMost(MOST_ON_THE_WAY);
        await untyped.releaseReaders();
        expect(await reading).toBe(2);
      },
    },
    {
      name: 'a stream of the client that the server cancels is told the reason',
      async run({ untyped, until }) {
        let cancelled: unknown;
        const stream = new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1000)),
          cancel: (reason) => {
            cancelled = reason;
          },
        });
        const reading = untyped.readSome(stream, 2);
        await untyped.sum(1);
        await untyped.releaseReaders();
        expect(await reading).toBe(2);
        await until(
          async () => {
            await untyped.sum(1);
            return cancelled;
          },
          (reason) => reason !== undefined,
        );
        expect(cancelled).toMatchObject({ message: 'read enough' });
      },
    },
    {
      name: 'a WritableStream is a result: what is written arrives in order, and then that it was closed',
      needs: ['journal'],
      async run({ untyped, key, journal }) {
        const writer = (await untyped.sink(key)).getWriter();
        for (const chunk of [true, { two: 2 }, 'ab']) await writer.write(chunk);
        await writer.close();
        expect(await journal()).toEqual(['boolean ', 'object two,2', 'string 0,a,1,b', 'closed']);
      },
    },
    {
      name: 'a WritableStream that is aborted is aborted on the server, with the reason',
      needs: ['journal'],
      async run({ untyped, key, journal, until }) {
        const writer = (await untyped.sink(key)).getWriter();
        await writer.write(1);
        await writer.abort(new Error('no more'));
        await until(journal, (events) => events.includes('aborted: no more'));
      },
    },
    {
      name: 'the error of a WritableStream reaches its writer',
      async run({ untyped }) {
        const writer = (await untyped.failingSink()).getWriter();
        writer.closed.catch(() => {}); // it is the write that is asked
        const failing = (async () => {
          for (let n = 0; n < 1000; n++) await writer.write(n);
          await writer.close();
        })();
        await expect(failing).rejects.toMatchObject({ message: 'the sink broke' });
      },
    },
    {
      name: 'a WritableStream is an argument',
      async run({ untyped }) {
        const written: unknown[] = [];
        let closed = false;
        const stream = new WritableStream({
          write: (chunk) => void written.push(chunk),
          close: () => {
            closed = true;
          },
        });
        await untyped.writeTo(stream, ['a', { b: 1 }]);
        expect(written).toEqual(['a', { b: 1 }]);
        expect(closed).toBe(true);
      },
    },
    {
      name: 'a WritableStream of the client that the server aborts is told the reason',
      async run({ untyped, until }) {
        let reason: unknown;
        const stream = new WritableStream({
          abort: (given) => {
            reason = given;
          },
        });
        await untyped.abortStream(stream);
        await until(
          () => reason,
          (given) => given !== undefined,
        );
        expect(reason).toMatchObject({ message: 'no more' });
      },
    },
    {
      name: 'an async generator is a result',
      async run({ untyped }) {
        expect(await collect(await untyped.count(5))).toEqual([0, 1, 2, 3, 4]);
      },
    },
    {
      name: 'an async generator’s error ends the loop that reads it',
      async run({ untyped }) {
        const items: unknown[] = [];
        const loop = (async () => {
          for await (const item of await untyped.countAndThrow(2)) items.push(item);
        })();
        await expect(loop).rejects.toMatchObject({ name: 'RangeError', message: 'counted too far' });
        expect(items).toEqual([0, 1]);
      },
    },
    {
      name: 'break reaches the finally of an async generator',
      needs: ['journal'],
      async run({ untyped, key, until, journal }) {
        for await (const item of await untyped.count(100_000, key)) if (item === 3) break;
        const events = await until(journal, (noted) => noted.includes('ended'));
        expect(events.length).toBeAtMost(10_000);
      },
    },
    {
      name: 'an async generator may yield targets',
      needs: ['references'],
      async run({ untyped }) {
        const values: unknown[] = [];
        for await (const counter of await untyped.countersOneByOne(3)) values.push(await counter.increment());
        expect(values).toEqual([1, 2, 3]);
      },
    },
    {
      name: 'the end of the connection reaches the finally of an async generator',
      needs: ['journal'],
      async run({ untyped, key, close, until, journal }) {
        const iterator = (await untyped.count(100_000, key))[Symbol.asyncIterator]();
        await iterator.next();
        close();
        await until(journal, (events) => events.includes('ended'));
      },
    },
    {
      name: 'the end of the connection is an error to who reads, not an end',
      async run({ untyped, close }) {
        const reader = (await untyped.objects(100_000)).getReader();
        await reader.read();
        close();
        const { error } = await readUntilError(reader);
        expect(error).toBeInstanceOf(Error);
      },
    },
    {
      name: 'an async generator is an argument',
      async run({ untyped }) {
        async function* texts() {
          yield 'a';
          yield 'b';
        }
        expect(await untyped.iterateAll(texts())).toEqual(['a', 'b']);
      },
    },
    {
      name: 'a break on the server reaches the finally of the client’s generator',
      async run({ untyped, until }) {
        let ended = false;
        async function* numbers() {
          try {
            for (let n = 0; n < 100_000; n++) yield n;
          } finally {
            ended = true;
          }
        }
        expect(await untyped.iterateSome(numbers(), 3)).toEqual([0, 1, 2]);
        await until(
          () => ended,
          (is) => is,
        );
      },
    },
    {
      name: 'a stream that the server returns as it was given arrives where it came from',
      async run({ untyped }) {
        expect(await collect(await untyped.echo(streamOf([1, 2, 3])))).toEqual([1, 2, 3]);
      },
    },
  ],
  ['channels', 'state'],
);

function streamOf(chunks: readonly unknown[]): ReadableStream<unknown> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      if (left.length === 0) controller.close();
      else controller.enqueue(left.shift());
    },
  });
}

/** Reads a stream by its reader, which is there everywhere, and anything else as an iterable. */
async function collect(source: Untyped): Promise<Untyped[]> {
  const items: unknown[] = [];
  if (typeof source.getReader !== 'function') {
    for await (const item of source) items.push(item);
    return items;
  }
  const reader = source.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) items.push(read.value);
  return items;
}

async function readUntilError(reader: ReadableStreamDefaultReader): Promise<{ items: number; error?: unknown }> {
  let items = 0;
  try {
    while (!(await reader.read()).done) items++;
    return { items };
  } catch (error) {
    return { items, error };
  }
}

/** Where a stream of bytes is cut into chunks is nobody's business. */
function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
