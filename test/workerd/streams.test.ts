import { env, evictDurableObject } from 'cloudflare:test';
import { connection } from '@lumenize/rpc';
import { describe, expect, test } from 'vitest';
import { connectToSelf, upgrade } from './self-transport.ts';
import { lockedLate } from './stream-object.ts';

const { STREAMS } = env as unknown as { STREAMS: DurableObjectNamespace };

// biome-ignore lint/suspicious/noExplicitAny: tested untyped
const connectTo = (name: string): any => connectToSelf(`/rpc/streams/${name}`);

const NOTHING = { callsInFlight: 0, exports: 0, imports: 0 };

/** Waits until nothing is held on either side. */
async function untilNothing(stub: ReturnType<typeof connectTo>): Promise<void> {
  await expect.poll(() => stub.counts()).toMatchObject(NOTHING);
  await expect.poll(() => connection(stub).statistics).toMatchObject(NOTHING);
}

describe('streams of the Workers runtime', () => {
  test('travel both ways', async () => {
    using stub = connectTo('both-ways');
    const text = 'Lumenize '.repeat(10_000);
    expect(await stub.text(await stub.compressed(text))).toBe(text);
    const { readable, writable } = await stub.pipe();
    const body = new Blob([text]).stream();
    const [, echoed] = await Promise.all([body.pipeTo(writable), new Response(readable).text()]);
    expect(echoed).toBe(text);
    await untilNothing(stub);
  });

  test('of bytes arrive whole, whatever their pieces', async () => {
    using stub = connectTo('pieces');
    const pieces = [10, 5000, 65_536, 100_000];
    const body = new ReadableStream({
      type: 'bytes',
      // Else what sends it gets 4096 bytes at a time, here.
      autoAllocateChunkSize: 200_000,
      pull(controller) {
        const length = pieces.shift();
        if (length !== undefined) controller.enqueue(new Uint8Array(length));
        else {
          controller.close();
          controller.byobRequest?.respond(0);
        }
      },
    });
    const lengths: number[] = await stub.lengths(body);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(170_546);
  });

  test.each(['readable', 'writable'] as const)('fail if they are locked while they are written: %s', async (kind) => {
    using stub = connectTo(`locked-${kind}`);
    // All properties are read before the stream among them is written.
    const [failed, after] = await Promise.allSettled([stub.lockedLate(kind), stub.produced()]);
    expect(failed).toMatchObject({
      reason: { code: 'NOT_CLONEABLE', message: expect.stringMatching(/^the result of lockedLate\(\): at /) },
    });
    expect(after).toMatchObject({ value: 0 });
    await expect(stub.failureOf(lockedLate(kind))).rejects.toMatchObject({
      message: expect.stringMatching(/^failureOf\(\): at argument 0/),
    });
    await untilNothing(stub);
    expect(connection(stub).statistics.reconnects).toBe(0);
  });

  test('end with what reads them, and with the signal', async () => {
    using stub = connectTo('ends');
    for await (const n of await stub.count(1e6)) if (n === 100) break;
    await (await stub.bytes(1e6, 1)).cancel(new Error('enough'));
    const controller = new AbortController();
    const call = stub.untilAborted(controller.signal);
    while (!(await stub.events()).includes('waits'));
    controller.abort(new Error('stop'));
    expect(await call).toBe('stop');
    expect(await stub.events()).toEqual(['ended', 'cancelled: enough', 'waits']);
    // The signal itself is let go of when it is collected.
    await expect.poll(() => stub.counts()).toMatchObject({ callsInFlight: 0, exports: 0, channels: 0 });
  });
});

describe('an object with an open stream', () => {
  test('does not leave memory before the stream has ended, and then does', async () => {
    using stub = connectTo('awake');
    const stream: ReadableStream = await stub.bytes(100, 65_536);
    const reader = stream.getReader();
    let size = (await reader.read()).value.length;
    let isEvicted = false;
    const evicted = evictDurableObject(STREAMS.getByName('awake')).then(() => {
      isEvicted = true;
    });
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      expect(isEvicted).toBe(false);
      size += read.value.length;
    }
    expect(size).toBe(100 * 65_536);
    await evicted;
    expect(await stub.produced()).toBe(0);
  });

  test('leaves memory although nobody has read the stream, once its client is gone', async () => {
    const stub = connectTo('unread');
    const chunks = new ReadableStream({
      start(controller) {
        for (const chunk of ['one', 'two', 'three']) controller.enqueue(chunk);
        controller.close();
      },
    });
    expect(await stub.produced(chunks)).toBe(0);
    stub[Symbol.dispose]();
    await evictDurableObject(STREAMS.getByName('unread'));
  });

  test('leaves memory although a result that has no end is still being read, once its client is gone', async () => {
    const [stub, other] = [connectTo('endless body'), connectTo('endless body')];
    stub.endlessBody().catch(() => {});
    await expect.poll(() => other.events()).toEqual(['asked']);
    stub[Symbol.dispose]();
    await evictDurableObject(STREAMS.getByName('endless body'));
    expect(await other.events()).toEqual([]);
    other[Symbol.dispose]();
  });

  test('leaves memory although its client does not answer that the connection has ended', async () => {
    const socket = await upgrade('/rpc/streams/unanswered');
    socket.accept({ allowHalfOpen: true });
    const codes: number[] = [];
    socket.addEventListener('close', ({ code }) => void codes.push(code));
    socket.send('[1,["count",[1e6]]]');
    socket.send('no frame');
    await expect.poll(() => codes).toEqual([1007]);
    await evictDurableObject(STREAMS.getByName('unanswered'));
    expect(socket.readyState).toBe(WebSocket.CLOSING);
  });

  test('gives streams ids that it has not given before', async () => {
    using stub = connectTo('again');
    const held = await stub.count(3);
    for await (const n of held) expect(n).toBeLessThan(3);
    await evictDurableObject(STREAMS.getByName('again'));
    const items: number[] = [];
    for await (const n of await stub.count(3)) items.push(n);
    expect(items).toEqual([0, 1, 2]);
    await untilNothing(stub);
  });
});
