import { connection, connectOver, RpcTarget } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { describe, expect, test } from 'vitest';
import { CHUNK_COST, CREDIT, DATA, END } from '../src/protocol/channel.ts';
import { CHANNELS, READABLE } from '../src/protocol/tags.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { Extended, sequence } from './support/frames.ts';
import { turns, until } from './support/until.ts';

const KB = 1024;

class Api extends RpcTarget {
  pulled = 0;
  cancelled = 0;
  released: (() => void)[] = [];
  kept: unknown;

  endless(size: number, type?: 'bytes'): ReadableStream {
    return new ReadableStream(
      {
        type: type as undefined,
        pull: (controller) => {
          this.pulled++;
          controller.enqueue(size === 0 ? { n: this.pulled } : new Uint8Array(size));
        },
        cancel: () => void this.cancelled++,
      },
      { highWaterMark: 0 },
    );
  }
  async *numbers(to: number, text = '') {
    for (let n = 0; n < to; n++) {
      this.pulled++;
      yield text === '' ? n : text;
    }
  }
  /** Reads a few chunks, and then no more until it is released. */
  async readSlowly(stream: ReadableStream, count: number) {
    const reader = stream.getReader();
    for (let n = 0; n < count; n++) await reader.read();
    await new Promise<void>((resolve) => this.released.push(resolve));
    await reader.cancel();
  }
  release() {
    for (const release of this.released) release();
  }
  keep(value: unknown) {
    this.kept = value;
  }
  sink() {
    return new WritableStream({ write: () => new Promise<void>((resolve) => this.released.push(resolve)) });
  }
  closing() {
    return new WritableStream({ close: () => new Promise<void>((resolve) => this.released.push(resolve)) });
  }
  ping() {}
}

function setup(options: Parameters<typeof connectInMemory>[1] = {}) {
  const api = new Api();
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  const stub: any = connectInMemory(api, options);
  return { api, stub, counts: () => connection(stub).statistics };
}

describe('a producer', () => {
  test.each([
    ['bytes of 64 KiB', 64 * KB, 'bytes', 4],
    ['bytes of 64 KiB, in a stream of anything', 64 * KB, undefined, 4],
    // A list of the signal and a view of a buffer take memory beside its bytes: they count as six objects, and so does text.
    [
      'bytes of 1 KiB',
      KB,
      'bytes',
      Math.ceil((256 * KB) / (KB + 6 * 128 + 2 * '{"$":[0,0,{"$Uint8Array":[{"$bytes":1024}]}]}'.length)),
    ],
    ['objects', 0, undefined, 16],
  ] as const)('of %s is not ahead by more than the first window', async (_name, size, type, window) => {
    const { api, stub } = setup();
    const reader = (await stub.endless(size, type)).getReader();
    await turns(20);
    expect(api.pulled).toBe(window);
    // Half of it is read before more is sent.
    for (let n = 1; n < window / 2; n++) await reader.read();
    await turns(20);
    expect(api.pulled).toBe(window);
    await reader.read();
    await until(() => api.pulled > window);
    await reader.cancel();
  });

  test('gets a larger window when its reader waits for it, up to the limit', async () => {
    const { api, stub } = setup({ limits: { maxStreamWindowBytes: 64 * CHUNK_COST } });
    const reader = (await stub.endless(0)).getReader();
    const aheads: number[] = [];
    for (let read = 0; read < 1000; read++) {
      await reader.read();
      aheads.push(api.pulled - read - 1);
    }
    await turns(20);
    const ahead = Math.max(...aheads, api.pulled - 1000);
    expect(ahead).toBeGreaterThan(32);
    expect(ahead).toBeLessThanOrEqual(64);
    await reader.cancel();
  });

  test('of the client is not ahead of the server either', async () => {
    const { api, stub } = setup();
    const source = new Api();
    const reading = stub.readSlowly(source.endless(64 * KB, 'bytes'), 1);
    await until(() => api.released.length > 0);
    await turns(20);
    expect(source.pulled).toBeLessThanOrEqual(5);
    await stub.release();
    await reading;
    await until(() => source.cancelled === 1);
  });

  test('of large objects counts what they take', async () => {
    const { api, stub } = setup();
    const iterator = await stub.numbers(1000, 'x'.repeat(8 * KB));
    await turns(20);
    expect(api.pulled).toBeLessThanOrEqual(3);
    let items = 0;
    for await (const item of iterator) items += item.length === 8 * KB ? 1 : 0;
    expect(items).toBe(1000);
  });

  test('sends a chunk that is larger than its credit, and than a frame', async () => {
    const { stub } = setup({ limits: { maxFrameBytes: 100_000 } });
    const reader = (await stub.endless(1_000_000, 'bytes')).getReader();
    for (let n = 0; n < 5; n++) expect((await reader.read()).value.length).toBe(1_000_000);
    await reader.cancel();
  });

  test('that a peer lets be ahead further than its own limit stays within that', async () => {
    const { api, stub } = setup();
    // The server's own limit counts for what it produces, the client's for what it consumes.
    const server = new Api();
    const wide = connectInMemory(server, { limits: { maxStreamWindowBytes: 8 * CHUNK_COST } }) as typeof stub;
    const reader = (await wide.endless(0)).getReader();
    for (let n = 0; n < 100; n++) await reader.read();
    await turns(20);
    expect(server.pulled - 100).toBeLessThanOrEqual(8);
    expect(api.pulled).toBe(0);
  });
});

describe('a writer', () => {
  test('waits when the sink does not keep up', async () => {
    const { api, stub } = setup();
    const writer = (await stub.sink()).getWriter();
    let written = 0;
    const writing = (async () => {
      for (; written < 100; written++) await writer.write(new Uint8Array(64 * KB));
    })();
    await until(() => api.released.length > 0);
    await turns(20);
    expect(written).toBeLessThanOrEqual(5);
    const releasing = (async () => {
      while (written < 100) {
        for (const release of api.released.splice(0)) release();
        await turns(1);
      }
    })();
    await Promise.all([writing, releasing]);
    await writer.abort();
  });

  test('aborts without the credit that a write waits for', async () => {
    const { stub, counts } = setup();
    const writer = (await stub.sink()).getWriter();
    const writing = Promise.allSettled([...Array(20).keys()].map((chunk) => writer.write(chunk)));
    await turns(20);
    await writer.abort(new RangeError('enough'));
    expect((await writing).at(-1)).toMatchObject({ reason: { message: 'enough' } });
    expect(counts().channels).toBe(0);
  });
});

describe('frames', () => {
  test('carry chunks that are ready together, up to 256 KiB', async () => {
    const { stub, counts } = setup();
    const objects: unknown[] = [];
    for await (const item of await stub.numbers(10_000)) objects.push(item);
    expect(objects.length).toBe(10_000);
    expect(counts().framesReceived).toBeLessThan(200);
    expect(counts().framesSent).toBeLessThan(200);

    const before = counts();
    const reader = (await stub.endless(16 * KB)).getReader();
    for (let n = 0; n < 1024; n++) await reader.read();
    const after = counts();
    const frames = after.framesReceived - before.framesReceived;
    expect(frames).toBeLessThan(300);
    expect((after.bytesReceived - before.bytesReceived) / frames).toBeLessThan(270_000);
    await reader.cancel();
  });

  test('of a consumer are few', async () => {
    const { stub, counts } = setup();
    const reader = (await stub.endless(64 * KB, 'bytes')).getReader();
    for (let n = 0; n < 1600; n++) await reader.read();
    // 100 MiB, of which credit is given for half a window at a time, and the window grows.
    expect(counts().framesSent).toBeLessThan(400);
    await reader.cancel();
  });
});

describe('limits', () => {
  test('of channels are refused by the call that exceeds them, and hold for each side', async () => {
    const { api, stub, counts } = setup({ limits: { maxChannels: 3 } });
    const streams = [await stub.endless(0), await stub.endless(0), await stub.endless(0)];
    await expect(stub.endless(0)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringMatching(/maxChannels of 3/),
    });
    const own = new ReadableStream();
    await stub.keep([own, new Promise(() => {}), new Promise(() => {})]);
    await expect(stub.keep(new Promise(() => {}))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(counts().channels).toBe(6);
    await streams[0].cancel();
    const again = await stub.endless(0);
    await Promise.all([streams[1].cancel(), streams[2].cancel(), again.cancel()]);
    await (api.kept as [ReadableStream])[0].cancel();
    await until(() => counts().channels === 2);
  });

  test('of a server are kept against a client that does not', async () => {
    const server = attack();
    server.send(1, [0, 'keep', [[0, 1, 2].map((id) => new Extended(READABLE, id))]]);
    expect(server.closed).toEqual([]);
    server.send(2, [0, 'keep', [[3, 4, 5].map((id) => new Extended(READABLE, id))]]);
    expect(server.session.counts.channels).toBeLessThanOrEqual(4);
    expect(server.closed).toEqual([]);
  });
});

describe('a peer that cheats', () => {
  test('is refused when it sends more than its credit', () => {
    const server = attack();
    server.send(1, [0, 'keep', [new Extended(READABLE, 0)]]);
    for (let n = 0; n < 16; n++) server.send(CHANNELS, [0, DATA, n]);
    expect(server.closed).toEqual([]);
    server.send(CHANNELS, [0, DATA, 16]);
    expect(server.closed).toEqual([expect.stringMatching(/^LIMIT_EXCEEDED: .*credit/)]);
  });

  test.each([
    ['many objects', () => Array.from({ length: 200 }, () => new Map())],
    ['text', () => 'x'.repeat(20_000)],
    // Which brings its buffer only where something else uses that.
    ['a view of nothing', () => viewsOf(new ArrayBuffer(20_000))],
  ])('has less credit by what a chunk of %s takes where it arrives', (_name, chunk) => {
    const server = attack();
    server.send(1, [0, 'keep', [new Extended(READABLE, 0)]]);
    server.send(CHANNELS, [0, DATA, chunk()]);
    expect(server.closed).toEqual([]);
    server.send(CHANNELS, [0, DATA, 1]);
    expect(server.closed).toEqual([expect.stringMatching(/^LIMIT_EXCEEDED: .*credit/)]);
  });

  test.each([
    ['credit that is no amount', [-1, CREDIT, -5]],
    ['what a producer does not hear', [-1, DATA, 1]],
    ['no channel', ['x', DATA]],
    ['no list', 5],
  ])('is refused when it sends %s', async (_name, signal) => {
    const server = attack();
    server.send(1, [0, 'endless', [0]]);
    server.send(CHANNELS, signal);
    expect(server.closed).toEqual([expect.stringMatching(/^MALFORMED_FRAME/)]);
    server.session.closed();
  });

  test('gets no more than the limit for the credit that it makes up', async () => {
    const server = attack({ maxStreamWindowBytes: 100 * CHUNK_COST });
    server.send(1, [0, 'endless', [0]]);
    server.send(CHANNELS, [-1, CREDIT, Number.MAX_SAFE_INTEGER]);
    await turns(50);
    expect(server.api.pulled).toBeLessThanOrEqual(100);
    server.session.closed();
  });

  test('loses the channel of bytes that carries something else', async () => {
    const { send, session } = attack();
    send(1, [0, 'readSlowly', [new Extended(READABLE, 0, 'bytes'), 1]]);
    send(CHANNELS, [0, DATA, 'no bytes']);
    await session.idle;
    expect(session.counts.channels).toBe(0);
  });

  test('is ignored when it speaks of channels that are not there', () => {
    const server = attack();
    for (const kind of [0, 1, 2, 3, 4, 5, 6, 7]) server.send(CHANNELS, [7, kind, 1], [-8, kind, 1]);
    expect(server.closed).toEqual([]);
    expect(server.session.counts.channels).toBe(0);
  });
});

test('what a frame of channels holds and the server refuses ends the channels, and not the connection', async () => {
  const { stub, counts } = setup({ refuse: ['RegExp'] });
  async function* expressions() {
    yield 1;
    yield /x/;
  }
  await stub.keep(expressions());
  await until(() => counts().channels === 0);
  expect(connection(stub).state).toBe('open');
  await stub.ping();
});

test('an object stays awake until its sink has closed', async () => {
  const { api, send, session } = attack();
  send(1, [0, 'closing', []]);
  send(CHANNELS, [-1, DATA, 1], [-1, END]);
  await until(() => api.released.length > 0);
  const { idle } = session;
  expect(idle).toBeInstanceOf(Promise);
  api.release();
  await idle;
  expect(session.counts.channels).toBe(0);
});

test('what nobody waits for any more is cancelled when it arrives', async () => {
  const { api, stub, counts } = setup();
  const { withOptions } = await import('@lumenize/rpc');
  const controller = new AbortController();
  connection(stub).open();
  await until(() => connection(stub).state === 'open');
  const call = withOptions(stub, { signal: controller.signal }).endless(0);
  // It is sent, and its answer is on its way.
  await undefined;
  await undefined;
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  await until(() => api.cancelled === 1);
  expect(counts().channels).toBe(0);
});

test('a connection that does not last passes none', async () => {
  const server = attack({}, true);
  server.send(1, [0, 'endless', [0]]);
  expect(server.session.counts.channels).toBe(0);
  const open = Object.assign(() => ({ send() {}, close() {} }), { stateless: true });
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  const stub: any = connectOver(open, 'nowhere');
  for (const value of [new ReadableStream(), () => {}]) {
    await expect(stub.keep(value)).rejects.toMatchObject({
      code: 'NOT_CLONEABLE',
      message: expect.stringMatching(/does not last/),
    });
  }
  stub[Symbol.dispose]();
});

function viewsOf(buffer: ArrayBuffer): Uint8Array[] {
  return [new Uint8Array(buffer, 1, 0), new Uint8Array(buffer, 2, 0)];
}

/** A server whose client writes its frames by hand. */
function attack(limits: object = { maxChannels: 4 }, stateless = false) {
  const api = new Api();
  const closed: string[] = [];
  const transport = { send() {}, close: (_code: number, reason: string) => void closed.push(reason), stateless };
  const session = new ServerSession(api, transport, createServerContext({ limits }));
  const send = (...values: unknown[]) => session.receive(sequence(...values));
  return { api, session, closed, send };
}
