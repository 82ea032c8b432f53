import { connect, connection } from '@lumenize/rpc';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SharedWorker, sharedWorker } from '../../support/shared-worker.ts';

const MIB = 1_048_576;
const CHUNK = 65_536;
/** What is sent through a slow reader; `STREAM_MIB=1024 npx vitest run test/workerd/served/streams.test.ts` sends a gigabyte. */
const SIZE = Number(process.env.STREAM_MIB ?? 128) * MIB;
/** What the producer may be ahead by: the largest window, and the chunk that exceeds it. */
const MAX_AHEAD = 4 * MIB + CHUNK;

describe('over a socket to workerd', () => {
  let worker: SharedWorker;
  let instance = 0;
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  const open = (): any => connect(worker.url(`/rpc/streams/${++instance}`));

  beforeAll(async () => {
    worker = await sharedWorker();
  });

  test('a stream much larger than memory goes down through a slow reader, in bounded memory', {
    timeout: 300_000,
  }, async () => {
    using stub = open();
    const reader = (await stub.bytes(SIZE / CHUNK, CHUNK)).getReader();
    const before = memory();
    let [size, ahead, most] = [0, 0, 0];
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length;
      if (size % (4 * MIB) !== 0) continue;
      // The calls make the reader slow: meanwhile the producer could go on as far as it may.
      for (let trip = 0; trip < 3; trip++) await stub.produced();
      ahead = Math.max(ahead, (await stub.produced()) * CHUNK - size);
      most = Math.max(most, memory() - before);
    }
    expect(size).toBe(SIZE);
    expect(ahead).toBeLessThanOrEqual(MAX_AHEAD);
    expect(most).toBeLessThan(100 * MIB);
    expect(connection(stub).statistics.channels).toBe(0);
    expect(await stub.counts()).toMatchObject({ channels: 0 });
  });

  test('and up, from a source that is as fast as it is asked', { timeout: 300_000 }, async () => {
    using stub = open();
    const before = memory();
    let [left, most] = [SIZE / CHUNK, 0];
    const source = new ReadableStream(
      {
        type: 'bytes',
        pull(controller) {
          if (left-- === 0) return controller.close();
          controller.enqueue(new Uint8Array(CHUNK));
          if (left % 64 === 0) most = Math.max(most, memory() - before);
        },
      },
      { highWaterMark: 0 },
    );
    expect(await stub.size(source)).toBe(SIZE);
    expect(most).toBeLessThan(100 * MIB);
    expect(connection(stub).statistics.channels).toBe(0);
  });
});

/** Bytes that this process uses: objects, and what chunks are made of. */
function memory(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
