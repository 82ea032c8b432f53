import { connection, RpcError, RpcTarget } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { testConnection } from '@lumenize/rpc/testing';
import { describe, expect, test } from 'vitest';
import { until } from './support/serve.ts';

const KB = 1024;

/** Lets events run that are due. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve));
}

class Api extends RpcTarget {
  readonly events: unknown[] = [];
  pulled = 0;
  kept: unknown;

  /** A stream of bytes; counts how many chunks were asked for. */
  bytes(count: number, size: number, type?: 'bytes'): ReadableStream {
    let sent = 0;
    return new ReadableStream(
      {
        type: type as undefined,
        pull: (controller) => {
          this.pulled++;
          if (sent === count) controller.close();
          else controller.enqueue(new Uint8Array(size).fill(sent++));
        },
        cancel: (reason) => void this.events.push(['cancelled', reason]),
      },
      { highWaterMark: 0 },
    );
  }
  async *count(to: number, fails = false) {
    try {
      for (let n = 0; n < to; n++) {
        this.pulled++;
        yield n;
      }
      if (fails) throw new RangeError('too far', { cause: { at: to } });
      return 'counted';
    } finally {
      this.events.push('ended');
    }
  }
  counter() {
    return new Countdown(3);
  }
  async *targets() {
    yield new Room();
    yield () => 7;
  }
  sink(fails = false) {
    return new WritableStream({
      write: (chunk) => {
        if (fails && this.events.length === 2) throw new RangeError('the sink broke');
        this.events.push(chunk);
      },
      close: () => void this.events.push('closed'),
      abort: (reason) => void this.events.push(['aborted', reason]),
    });
  }
  async readAll(source: ReadableStream | AsyncIterable<unknown>) {
    const items: unknown[] = [];
    for await (const item of source as AsyncIterable<unknown>) items.push(item);
    return items;
  }
  async readOne(source: AsyncIterable<unknown>) {
    for await (const item of source) return item;
  }
  async write(stream: WritableStream, ...chunks: unknown[]) {
    const writer = stream.getWriter();
    for (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  }
  async abort(stream: WritableStream) {
    await stream.abort(new RangeError('no more'));
  }
  async untilAborted(signal: AbortSignal) {
    this.events.push('begun');
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    const reason = (signal.reason as Error)?.message ?? signal.reason;
    this.events.push(reason);
    return reason;
  }
  keep(value: unknown) {
    this.kept = value;
  }
  async callback(call: (stream: ReadableStream) => Promise<AsyncIterable<unknown>>) {
    return this.readAll(await call(this.bytes(2, 1)));
  }
  echo(value: unknown) {
    return value;
  }
  ping() {}
}

class Room extends RpcTarget {
  get name() {
    return 'lobby';
  }
}

/** An async iterable that is no generator, and has a member like a stream's. */
class Countdown {
  readonly locked = true;
  #from: number;
  constructor(from: number) {
    this.#from = from;
  }
  async *[Symbol.asyncIterator]() {
    while (this.#from > 0) yield this.#from--;
  }
}

function setup(options: Parameters<typeof connectInMemory>[1] = {}) {
  const api = new Api();
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  const stub: any = connectInMemory(api, options);
  return { api, stub, channels: () => connection(stub).statistics.channels };
}

async function collect(source: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of source) items.push(item);
  return items;
}

describe('ReadableStreams', () => {
  test.each(['bytes', undefined] as const)('of type %s arrive whole, in order and of the same type', async (type) => {
    const { stub, channels } = setup();
    const stream: ReadableStream = await stub.bytes(40, 64 * KB, type);
    expect(stream).toBeInstanceOf(ReadableStream);
    if (type === 'bytes') stream.getReader({ mode: 'byob' }).releaseLock();
    else expect(() => stream.getReader({ mode: 'byob' })).toThrow(TypeError);
    const chunks = (await collect(stream)) as Uint8Array[];
    expect(chunks.map(({ length }) => length)).toEqual(Array(40).fill(64 * KB));
    expect(chunks.every((chunk, index) => chunk.every((byte) => byte === index))).toBe(true);
    await until(() => channels() === 0);
  });

  test('are arguments too, nested, and twice in a value the same one', async () => {
    const { stub, channels } = setup();
    const source = new Blob(['hello']).stream();
    const { a, b } = await stub.echo({ a: source, b: source });
    expect(a).toBe(b);
    expect(await collect(a)).toEqual([new TextEncoder().encode('hello')]);
    await stub.ping();
    await until(() => channels() === 0);
  });

  test('whose call cannot be sent are as they were', async () => {
    const { stub, channels } = setup();
    const stream = new Blob(['x']).stream();
    await expect(stub.echo(stream, Symbol('no'))).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
    expect(stream.locked).toBe(false);
    await until(() => channels() === 0);
    // A buffer that is shared makes the encoder go through a value twice.
    const buffer = new ArrayBuffer(8);
    const views = [new Uint8Array(buffer, 0, 4), new Uint8Array(buffer, 4)];
    expect((await collect((await stub.echo([stream, views]))[0])).length).toBe(1);
    await until(() => channels() === 0);
  });

  test('that fail do so at their reader, after what was sent before', async () => {
    const { stub, channels } = setup();
    let n = 0;
    const stream = new ReadableStream({
      pull(controller) {
        if (n++ < 2) controller.enqueue(n);
        else controller.error(Object.assign(new RangeError('broke'), { at: 2 }));
      },
    });
    const reader = (await stub.echo(stream)).getReader();
    expect([(await reader.read()).value, (await reader.read()).value]).toEqual([1, 2]);
    const error = await reader.read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: 'broke', at: 2 });
    await until(() => channels() === 0);
  });

  test('that fail with an RpcError do so with its data, unless that cannot be sent', async () => {
    const { stub } = setup();
    const failing = (data: unknown) =>
      new ReadableStream({ pull: (controller) => controller.error(new RpcError('DENIED', 'no', { data })) });
    const [told, untold] = await stub.echo([failing({ retryAfterMs: 5 }), failing(Symbol('no'))]);
    await expect(collect(told)).rejects.toEqual(new RpcError('DENIED', 'no', { data: { retryAfterMs: 5 } }));
    await expect(collect(untold)).rejects.toEqual(new RpcError('DENIED', 'no'));
  });

  test('that are cancelled tell their source, with the reason', async () => {
    const { api, stub, channels } = setup();
    const reader = (await stub.bytes(1e6, 1)).getReader();
    await reader.read();
    await reader.cancel(new RangeError('enough'));
    await until(() => channels() === 0);
    await until(() => api.events.length > 0);
    expect(api.events).toEqual([['cancelled', expect.objectContaining({ name: 'RangeError', message: 'enough' })]]);
  });

  test('whose chunk cannot be sent fail, and their source is cancelled', async () => {
    const { stub, channels } = setup();
    let cancelled: unknown;
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue({ no: Symbol('no') }),
      cancel: (reason) => {
        cancelled = reason;
      },
    });
    const reader = (await stub.echo(stream)).getReader();
    await expect(reader.read()).rejects.toThrow(/symbols cannot be cloned/);
    await until(() => cancelled !== undefined);
    await until(() => channels() === 0);
  });

  test('carry Blobs and other streams', async () => {
    const { stub, channels } = setup();
    const inner = new Blob(['inner']).stream();
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new Blob(['hello']));
        controller.enqueue({ inner });
        controller.close();
      },
    });
    const [blob, holder] = (await collect(await stub.echo(stream))) as [Blob, { inner: ReadableStream }];
    expect(await blob.text()).toBe('hello');
    expect(await collect(holder.inner)).toEqual([new TextEncoder().encode('inner')]);
    await until(() => channels() === 0);
  });
});

describe('async iterables', () => {
  test('arrive as such', async () => {
    const { stub, channels } = setup();
    expect(await collect(await stub.count(100))).toEqual([...Array(100).keys()]);
    expect(await collect(await stub.counter())).toEqual([3, 2, 1]);
    const iterator = await stub.count(1);
    expect(await iterator.next()).toEqual({ done: false, value: 0 });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await until(() => channels() === 0);
  });

  test('yield targets and functions', async () => {
    const { stub } = setup();
    const [room, seven] = (await collect(await stub.targets())) as [{ name: Promise<string> }, () => Promise<number>];
    expect(await room.name).toBe('lobby');
    expect(await seven()).toBe(7);
  });

  test('throw what their generator throws', async () => {
    const { api, stub, channels } = setup();
    const error = await collect(await stub.count(2, true)).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: 'too far', cause: { at: 2 } });
    await until(() => api.events.length > 0);
    expect(api.events).toEqual(['ended']);
    await until(() => channels() === 0);
  });

  test('that are left by break end their generator', async () => {
    const { api, stub, channels } = setup();
    for await (const n of await stub.count(1e6)) if (n === 3) break;
    await until(() => api.events.length > 0);
    expect(api.pulled).toBeLessThan(64);
    await until(() => channels() === 0);
  });

  test('are arguments, whose generator ends when the method has had enough', async () => {
    const { stub, channels } = setup();
    let ended = false;
    async function* numbers() {
      try {
        for (let n = 0; ; n++) yield n;
      } finally {
        ended = true;
      }
    }
    expect(await stub.readOne(numbers())).toBe(0);
    await until(() => ended);
    await until(() => channels() === 0);
  });

  test('go to callbacks, and come from them', async () => {
    const { stub, channels } = setup();
    const callback = async function* (stream: AsyncIterable<Uint8Array>) {
      for await (const chunk of stream) yield chunk[0] + 10;
    };
    expect(await stub.callback((stream: AsyncIterable<Uint8Array>) => callback(stream))).toEqual([10, 11]);
    await stub.ping();
    await until(() => channels() === 0);
  });

  test('are read in order by reads that do not wait for each other', async () => {
    const { stub } = setup();
    const iterator = await stub.count(3);
    const reads = await Promise.all([
      iterator.next(),
      iterator.next(),
      iterator.next(),
      iterator.next(),
      iterator.next(),
    ]);
    expect(reads.map(({ done, value }) => [done, value])).toEqual([
      [false, 0],
      [false, 1],
      [false, 2],
      [true, undefined],
      [true, undefined],
    ]);
  });
});

describe('WritableStreams', () => {
  test('take chunks, and close when all are written', async () => {
    const { api, stub, channels } = setup();
    const writer = (await stub.sink()).getWriter();
    for (const chunk of [1, { two: 2 }, 'three']) await writer.write(chunk);
    await writer.close();
    expect(api.events).toEqual([1, { two: 2 }, 'three', 'closed']);
    await until(() => channels() === 0);
  });

  test('are arguments', async () => {
    const { stub, channels } = setup();
    const { readable, writable } = new TransformStream();
    const [, items] = await Promise.all([stub.write(writable, 'a', 'b'), collect(readable)]);
    expect(items).toEqual(['a', 'b']);
    await until(() => channels() === 0);
  });

  test('are aborted with the reason', async () => {
    const { api, stub, channels } = setup();
    await (await stub.sink()).abort(new RangeError('no more'));
    await until(() => api.events.length > 0);
    expect(api.events).toEqual([['aborted', expect.objectContaining({ name: 'RangeError', message: 'no more' })]]);
    let reason: unknown;
    await stub.abort(
      new WritableStream({
        abort: (given) => {
          reason = given;
        },
      }),
    );
    await until(() => reason !== undefined);
    expect(reason).toMatchObject({ message: 'no more' });
    await stub.ping();
    await until(() => channels() === 0);
  });

  test('that fail tell their writer', async () => {
    const { stub, channels } = setup();
    const writer = (await stub.sink(true)).getWriter();
    writer.closed.catch(() => {}); // the writes are asked
    const failing = (async () => {
      for (let n = 0; n < 10_000; n++) await writer.write(n);
    })();
    await expect(failing).rejects.toMatchObject({ name: 'RangeError', message: 'the sink broke' });
    await until(() => channels() === 0);
  });

  test('that fail with the last chunk reject closing', async () => {
    const { stub, channels } = setup();
    const writer = (await stub.sink(true)).getWriter();
    writer.closed.catch(() => {}); // closing is asked
    writer.write(1);
    writer.write(2);
    writer.write(3).catch(() => {}); // closing is asked
    await expect(writer.close()).rejects.toMatchObject({ message: 'the sink broke' });
    await until(() => channels() === 0);
  });
});

describe('abort signals', () => {
  test('abort the signal that the method got, with the reason', async () => {
    const { api, stub, channels } = setup();
    const controller = new AbortController();
    const call = stub.untilAborted(controller.signal);
    await until(() => api.events.length > 0);
    controller.abort(new RangeError('stop'));
    expect(await call).toBe('stop');
    await until(() => channels() === 0);
    expect(await stub.untilAborted(AbortSignal.abort('before'))).toBe('before');
  });

  test('are dropped by both sides without a frame when the call has ended', async () => {
    const { api, stub, channels } = setup();
    const { signal } = new AbortController();
    await stub.keep({ signal });
    await until(() => channels() === 0);
    const { framesSent, framesReceived } = connection(stub).statistics;
    expect([framesSent, framesReceived]).toEqual([1, 1]);
    expect((api.kept as { signal: AbortSignal }).signal.aborted).toBe(false);
    await expect(stub.untilAborted(signal, Symbol('no'))).rejects.toThrow();
    await until(() => channels() === 0);
  });

  test('of a step end when the step has', async () => {
    const { stub, channels } = setup();
    expect(await stub.echo({ a: [1] }, new AbortController().signal).a[0]).toBe(1);
    await until(() => channels() === 0);
  });
});

describe('the end of a connection', () => {
  test('fails readers and writers, and cancels producers', async () => {
    const { api, stub, channels } = setup();
    const reader = (await stub.bytes(1e6, 1)).getReader();
    const iterator = await stub.count(1e6);
    const writer = (await stub.sink()).getWriter();
    await Promise.all([reader.read(), iterator.next(), writer.write(1)]);
    await turns(50);
    expect(channels()).toBe(3);
    stub[Symbol.dispose]();
    const lost = { name: 'RpcError', code: 'REFERENCE_LOST' };
    const drained = async (next: () => Promise<{ done?: boolean }>) => {
      while (!(await next()).done);
    };
    await expect(drained(() => reader.read())).rejects.toMatchObject(lost);
    await expect(drained(() => iterator.next())).rejects.toMatchObject(lost);
    await expect(writer.closed).rejects.toMatchObject(lost);
    await until(() => api.events.length === 4);
    expect(api.events).toEqual(expect.arrayContaining(['ended', ['cancelled', expect.objectContaining(lost)]]));
    await until(() => channels() === 0);
  });

  test('cancels producers also in the turn in which they were passed', async () => {
    const { api, stub } = setup();
    const generator = api.count(2);
    await generator.next();
    const calls = [stub.echo(api.bytes(1, 1)), stub.echo(generator)];
    stub[Symbol.dispose]();
    await Promise.allSettled(calls);
    const error = expect.objectContaining({ code: 'NOT_EXECUTED' });
    await until(() => api.events.length > 1);
    expect(api.events).toEqual([['cancelled', error], 'ended']);
  });

  test('leaves channels open that a source opens when it is cancelled', async () => {
    const api = new Api();
    const client = testConnection(() => api);
    // biome-ignore lint/suspicious/noExplicitAny: tested untyped
    const stub: any = client.stub;
    const { promise, resolve } = Promise.withResolvers();
    await stub.keep(new ReadableStream({ cancel: () => resolve(stub.readAll(new Blob(['rest']).stream())) }));
    client.cut();
    expect(await promise).toEqual([new TextEncoder().encode('rest')]);
  });

  test('leaves the signal of a later call alone when a callback that was called before it ends', async () => {
    const callers: AbortController[] = [];
    class Calling extends RpcTarget {
      call(callback: (signal: AbortSignal) => unknown): unknown {
        const caller = new AbortController();
        callers.push(caller);
        return callback(caller.signal);
      }
    }
    using client = testConnection(() => new Calling());
    const { stub } = client;
    const signals: AbortSignal[] = [];
    const first = Promise.withResolvers<void>();
    const wait = (until: Promise<void>) => (signal: AbortSignal) => {
      signals.push(signal);
      return until;
    };
    stub.call(wait(first.promise)).then(null, () => {}); // it is lost
    await until(() => signals.length === 1);
    client.cut();
    const last = Promise.withResolvers<void>();
    const called = stub.call(wait(last.promise));
    await until(() => signals.length === 2);
    first.resolve();
    await turns(1);
    callers[1].abort();
    await until(() => signals[1].aborted);
    last.resolve();
    await called;
  });
});
