import { createHash } from 'node:crypto';
import { seededRandom } from '@lumenize/hosts/random';
import { openRelay } from '@lumenize/hosts/relay';
import { connect, connection, type Stub } from '@lumenize/rpc';
import { upload } from '@lumenize/state/uploads';
import type { UploadTarget } from '@lumenize/state/uploads/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ServedWorker, serveTestWorker } from '../../support/workerd.ts';

/** What is used here of `test/workerd/room-object.ts`. */
interface Api {
  readonly files: UploadTarget;
  fileRows(): number[];
}

const MB = 1_000_000;
const PART = 524_288;
/** Progress in the time that a cancelled upload may leave rows. */
const A_MINUTE_MS = 60_000;

describe('a file of 50 MB', { timeout: 180_000 }, () => {
  let worker: ServedWorker;
  const bytes = randomBytes(50 * MB);
  const file = new File([bytes], 'large.bin', { type: 'application/octet-stream' });

  beforeAll(async () => {
    worker = await serveTestWorker();
  });
  afterAll(() => worker?.[Symbol.asyncDispose]());

  /** Enters the room over a relay that can cut the connection. */
  async function enter(user: string) {
    const relay = await openRelay(`http://127.0.0.1:${worker.port}`);
    onTestFinished(() => relay[Symbol.dispose]());
    const url = `${relay.url.replace('http', 'ws')}/rooms/room/large?user=${user}`;
    const stub: Stub<Api> = connect<Api>(url, { onStateChange: () => {} });
    onTestFinished(() => connection(stub).close());
    return { relay, stub };
  }

  async function download(id: string, range?: string): Promise<Uint8Array> {
    const headers: HeadersInit = range === undefined ? {} : { Range: range };
    const response = await fetch(`http://127.0.0.1:${worker.port}/rooms/room/large/files/${id}`, { headers });
    expect(response.status).toBe(range === undefined ? 200 : 206);
    return new Uint8Array(await response.arrayBuffer());
  }

  test('arrives whole through three cuts and a server that is killed', async () => {
    const { relay, stub } = await enter('ada');
    const faults = [
      () => relay.cut(),
      () => relay.cut(),
      async () => {
        await worker.kill();
        await worker.restart();
      },
      () => relay.cut(),
    ];
    const progress: number[] = [];
    const struck: unknown[] = [];
    const stored = await upload(stub.files, file, {
      onProgress(bytes, size) {
        expect(size).toBe(50 * MB);
        progress.push(bytes);
        // At 10, 20, 30 and 40 MB.
        if (faults.length > 0 && bytes > (struck.length + 1) * 10 * MB) struck.push(faults.shift()!());
      },
    });
    await Promise.all(struck);
    expect(struck.length).toBe(4);
    expect(connection(stub).statistics.reconnects).toBeGreaterThanOrEqual(4);
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(50 * MB);
    expect(stored).toMatchObject({ size: 50 * MB, sha256: createHash('sha256').update(bytes).digest('hex') });
    expect(Buffer.compare(await download(stored.id), bytes)).toBe(0);
    expect(Buffer.compare(await download(stored.id, 'bytes=1000000-1999999'), bytes.subarray(MB, 2 * MB))).toBe(0);
    // Each part once.
    expect(await stub.fileRows()).toEqual([1, Math.ceil((50 * MB) / PART)]);
  });

  test('goes on where a client was that is gone, also after the server was killed', async () => {
    const first = await enter('bob');
    const gone = upload(first.stub.files, file, {
      onProgress: (bytes) => bytes > 20 * MB && connection(first.stub).close(),
    });
    await expect(gone).rejects.toThrow();
    await worker.kill();
    await worker.restart();
    const { stub } = await enter('bob');
    const progress: number[] = [];
    const stored = await upload(stub.files, file, { onProgress: (bytes) => progress.push(bytes) });
    expect(progress[0]).toBeGreaterThan(20 * MB);
    expect(Buffer.compare(await download(stored.id), bytes)).toBe(0);
  });

  test('that is cancelled leaves no row, even if the server is killed at that moment', async () => {
    const { stub } = await enter('eve');
    const before = await stub.fileRows();
    const controller = new AbortController();
    const reason = new Error('enough');
    const cancelled = upload(stub.files, file, {
      signal: controller.signal,
      onProgress: (bytes) => bytes > 10 * MB && controller.abort(reason),
    });
    await expect(cancelled).rejects.toBe(reason);
    await worker.kill();
    await worker.restart();
    await expect.poll(() => stub.fileRows(), { timeout: A_MINUTE_MS }).toEqual(before);
  });
});

function randomBytes(size: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(1);
  const words = Uint32Array.from({ length: size / 4 }, () => random() * 2 ** 32);
  return new Uint8Array(words.buffer);
}
