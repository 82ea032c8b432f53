import { connection, RpcError, RpcTarget, withOptions } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { callContext } from '@lumenize/rpc/server';
import { testConnection } from '@lumenize/rpc/testing';
import { describe, expect, test, vi } from 'vitest';
import { turns, until } from './support/serve.ts';

const KB = 1024;

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
  async *asking() {
    yield callContext().callId;
    await turns(1);
    yield callContext().callId;
  }
  async askingLater() {
    const pull = async (controller: ReadableStreamDefaultController) => {
      controller.enqueue(callContext().callId);
      controller.close();
    };
    return [this.asking(), new ReadableStream({ pull }, { highWaterMark: 0 })];
  }
  async *finished() {
    yield 'nearly';
    return new Blob(['the end']);
  }
  async *changing() {
    yield {
      get blob() {
        return new Blob();
      },
    };
  }
  counter() {
    return new Countdown(3);
  }
  async *targets() {
    yield new Room();
    yield () => 7;
  }
  promise(value: unknown) {
    return { later: Promise.resolve(value), never: Promise.reject(new RangeError('no')) };
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
  async awaited({ value }: { value: Promise<unknown> }) {
    try {
      return await value;
    } catch (error) {
      return error;
    }
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

test('generators and streams that are returned know the call that returned them, also after an await', async () => {
  const { stub } = setup();
  const direct = await Promise.all([stub.asking(), stub.asking()]);
  expect(await Promise.all(direct.map(collect))).toEqual([
    [1, 1],
    [2, 2],
  ]);
  const [generator, stream] = await stub.askingLater();
  expect([await collect(generator), await collect(stream)]).toEqual([[3, 3], [3]]);
});

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
    expect(channels()).toBe(0);
  });

  test('are read into buffers', async () => {
    const { stub } = setup();
    const reader = (await stub.bytes(2, 3, 'bytes')).getReader({ mode: 'byob' });
    expect((await reader.read(new Uint8Array(2))).value).toEqual(new Uint8Array([0, 0]));
    expect((await reader.read(new Uint8Array(8))).value).toEqual(new Uint8Array([0]));
    expect((await reader.read(new Uint8Array(8))).value).toEqual(new Uint8Array([1, 1, 1]));
    expect(await reader.read(new Uint8Array(8))).toMatchObject({ done: true });
  });

  test('are arguments too, nested, and twice in a value the same one', async () => {
    const { stub, channels } = setup();
    const source = new Blob(['hello']).stream();
    const { a, b } = await stub.echo({ a: source, b: source });
    expect(a).toBe(b);
    expect(await collect(a)).toEqual([new TextEncoder().encode('hello')]);
    await stub.ping();
    expect(channels()).toBe(0);
  });

  test('that are locked are refused, with the path', async () => {
    const { stub, channels } = setup();
    const stream = new ReadableStream();
    stream.getReader();
    await expect(stub.echo(1, { deep: [stream] })).rejects.toMatchObject({
      code: 'NOT_CLONEABLE',
      message: 'echo(): at argument 1.deep[0]: a ReadableStream that is locked cannot be sent: it is used elsewhere',
    });
    expect(channels()).toBe(0);
  });

  test('whose call cannot be sent are as they were', async () => {
    const { stub, channels } = setup();
    const stream = new Blob(['x']).stream();
    await expect(stub.echo(stream, Symbol('no'))).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
    expect(stream.locked).toBe(false);
    expect(channels()).toBe(0);
    // A buffer that is shared makes the encoder go through a value twice.
    const buffer = new ArrayBuffer(8);
    const views = [new Uint8Array(buffer, 0, 4), new Uint8Array(buffer, 4)];
    expect((await collect((await stub.echo([stream, views]))[0])).length).toBe(1);
    expect(channels()).toBe(0);
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
    expect(channels()).toBe(0);
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
    expect(channels()).toBe(0);
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
    expect(channels()).toBe(0);
  });

  test('fail with a Blob in a result that is passed on, which cannot be read', async () => {
    const { stub } = setup();
    const passedOn = stub.echo(new Blob(['hello']));
    await passedOn;
    const chunks = (async function* () {
      yield { passedOn };
    })();
    await expect(stub.readAll(chunks)).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
    expect(connection(stub).statistics.channels).toBe(0);
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
    expect(channels()).toBe(0);
  });
});

describe('async iterables', () => {
  test('arrive as such, with what a generator returns', async () => {
    const { stub, channels } = setup();
    expect(await collect(await stub.count(100))).toEqual([...Array(100).keys()]);
    expect(await collect(await stub.counter())).toEqual([3, 2, 1]);
    const iterator = await stub.count(1);
    expect(await iterator.next()).toEqual({ done: false, value: 0 });
    expect(await iterator.next()).toEqual({ done: true, value: 'counted' });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(channels()).toBe(0);
  });

  test('yield targets and functions', async () => {
    const { stub } = setup();
    const [room, seven] = (await collect(await stub.targets())) as [{ name: Promise<string> }, () => Promise<number>];
    expect(await room.name).toBe('lobby');
    expect(await seven()).toBe(7);
  });

  test('arrive with the Blob that a generator returns', async () => {
    const { stub, channels } = setup();
    const iterator = await stub.finished();
    await iterator.next();
    const { done, value } = await iterator.next();
    expect([done, await value.text()]).toEqual([true, 'the end']);
    expect(channels()).toBe(0);
  });

  test('arrive with an object that has another Blob each time it is looked at', async () => {
    const { stub, channels } = setup();
    const [{ blob }] = (await collect(await stub.changing())) as [{ blob: Blob }];
    expect(await blob.text()).toBe('');
    expect(channels()).toBe(0);
  });

  test('arrive as they were when they were yielded, also beside a Blob', async () => {
    const { stub } = setup();
    const list = [1];
    const pull = (controller: ReadableStreamDefaultController) => {
      list.push(2);
      controller.close();
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const chunks = (async function* () {
      yield { list, response: new Response(body) };
    })();
    expect((await stub.readAll(chunks))[0].list).toEqual([1]);
  });

  test('throw what their generator throws', async () => {
    const { api, stub, channels } = setup();
    const error = await collect(await stub.count(2, true)).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: 'too far', cause: { at: 2 } });
    expect(api.events).toEqual(['ended']);
    expect(channels()).toBe(0);
  });

  test('that are left by break end their generator', async () => {
    const { api, stub, channels } = setup();
    for await (const n of await stub.count(1e6)) if (n === 3) break;
    await until(() => api.events.length > 0);
    expect(api.pulled).toBeLessThan(64);
    expect(channels()).toBe(0);
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
    expect(channels()).toBe(0);
  });

  test('go to callbacks, and come from them', async () => {
    const { stub, channels } = setup();
    const callback = async function* (stream: AsyncIterable<Uint8Array>) {
      for await (const chunk of stream) yield chunk[0] + 10;
    };
    expect(await stub.callback((stream: AsyncIterable<Uint8Array>) => callback(stream))).toEqual([10, 11]);
    await stub.ping();
    expect(channels()).toBe(0);
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
      [true, 'counted'],
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
    expect(channels()).toBe(0);
  });

  test('are arguments', async () => {
    const { stub, channels } = setup();
    const { readable, writable } = new TransformStream();
    const [, items] = await Promise.all([stub.write(writable, 'a', 'b'), collect(readable)]);
    expect(items).toEqual(['a', 'b']);
    expect(channels()).toBe(0);
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
    expect(channels()).toBe(0);
  });

  test('that fail tell their writer', async () => {
    const { stub, channels } = setup();
    const writer = (await stub.sink(true)).getWriter();
    writer.closed.catch(() => {}); // the writes are asked
    const failing = (async () => {
      for (let n = 0; n < 10_000; n++) await writer.write(n);
    })();
    await expect(failing).rejects.toMatchObject({ name: 'RangeError', message: 'the sink broke' });
    expect(channels()).toBe(0);
  });

  test('reject closing when a frame that cannot be read ends all channels', async () => {
    const { stub, channels } = setup({ refuse: ['RegExp'] });
    let isClosing = false;
    const close = () => {
      isClosing = true;
      return new Promise<void>(() => {});
    };
    const writing = stub.write(new WritableStream({ close }));
    await until(() => isClosing);
    async function* refused() {
      yield /x/;
    }
    await stub.keep(refused());
    await expect(writing).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
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
    expect(channels()).toBe(0);
  });
});

describe('promises', () => {
  test('arrive as promises, whatever becomes of them', async () => {
    const { stub, channels } = setup();
    const { later, never } = await stub.promise(new Map([[1, 2]]));
    expect(await later).toEqual(new Map([[1, 2]]));
    await expect(never).rejects.toThrow(new RangeError('no'));
    expect(channels()).toBe(0);
    expect(await stub.awaited({ value: Promise.resolve(5) })).toBe(5);
    expect(await stub.awaited({ value: Promise.reject(new TypeError('not')) })).toEqual(new TypeError('not'));
  });

  test('lead to their target although an earlier call that passed them was refused', async () => {
    const { stub } = setup();
    const disposed = vi.fn();
    class Room extends RpcTarget {
      get name() {
        return `lobby, ${disposed.mock.calls.length} times disposed of`;
      }
      [Symbol.dispose] = disposed;
    }
    const { promise, resolve } = Promise.withResolvers<Room>();
    await expect(stub.missing(promise)).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    const passed = await stub.echo({ promise });
    await turns(1);
    resolve(new Room());
    expect(await (await passed.promise).name).toBe('lobby, 0 times disposed of');
  });

  test('that stay open are counted, and end with the connection', async () => {
    const { api, stub, channels } = setup();
    await stub.keep([new Promise(() => {})]);
    expect(channels()).toBe(1);
    stub[Symbol.dispose]();
    const [promise] = api.kept as [Promise<unknown>];
    await expect(promise).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    expect(channels()).toBe(0);
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
    expect(channels()).toBe(0);
    expect(await stub.untilAborted(AbortSignal.abort('before'))).toBe('before');
  });

  test('abort, too, when the call is given up otherwise', async () => {
    const { api, stub, channels } = setup();
    const given = new AbortController();
    const controller = new AbortController();
    const call = withOptions(stub, { signal: controller.signal }).untilAborted(given.signal);
    await until(() => api.events.length > 0);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await until(() => api.events.length > 1);
    expect(api.events).toEqual(['begun', 'the caller gave up: CANCELLED']);
    expect(channels()).toBe(0);
  });

  test('are dropped by both sides without a frame when the call has ended', async () => {
    const { api, stub, channels } = setup();
    const { signal } = new AbortController();
    await stub.keep({ signal });
    expect(channels()).toBe(0);
    const { framesSent, framesReceived } = connection(stub).statistics;
    expect([framesSent, framesReceived]).toEqual([1, 1]);
    expect((api.kept as { signal: AbortSignal }).signal.aborted).toBe(false);
    await expect(stub.untilAborted(signal, Symbol('no'))).rejects.toThrow();
    expect(channels()).toBe(0);
  });

  test('of a step end when the step has', async () => {
    const { stub, channels } = setup();
    expect(await stub.echo({ a: [1] }, new AbortController().signal).a[0]).toBe(1);
    await until(() => channels() === 0);
  });

  test('can only be arguments', async () => {
    class Signals extends RpcTarget {
      signal() {
        return new AbortController().signal;
      }
    }
    await expect(connectInMemory(new Signals()).signal()).rejects.toThrow(/AbortSignal can only be an argument/);
  });

  test('are refused nothing by a call that is refused', async () => {
    const { stub, channels } = setup({ refuse: ['RegExp'] });
    const { signal } = new AbortController();
    await expect(stub.echo(signal, new ReadableStream(), /x/)).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
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
    expect(channels()).toBe(0);
  });

  test('cancels producers also in the turn in which they were passed', async () => {
    const { api, stub } = setup();
    const generator = api.count(2);
    await generator.next();
    const calls = [stub.echo(api.bytes(1, 1)), stub.echo(generator)];
    stub[Symbol.dispose]();
    await Promise.allSettled(calls);
    const error = expect.objectContaining({ code: 'REFERENCE_LOST' });
    await until(() => api.events.length > 1);
    expect(api.events).toEqual([['cancelled', error], 'ended']);
  });

  test('ends the streams that promises and generators produce after it', async () => {
    let cancelled = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = async () => {
      await promise;
      return { stream: new ReadableStream({ cancel: () => void cancelled++ }) };
    };
    class Late extends RpcTarget {
      both() {
        return { later: late(), chunks: this.chunks() };
      }
      async *chunks() {
        yield 1;
        yield await late();
      }
    }
    const stub = connectInMemory(new Late());
    await (await stub.both()).chunks[Symbol.asyncIterator]().next();
    stub[Symbol.dispose]();
    resolve();
    await until(() => cancelled === 2);
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

  test.each(['a source is cancelled', 'a target is disposed of', 'a call is aborted'])(
    'leaves what is passed for the next connection while %s',
    async (when) => {
      const client = testConnection(() => new Api());
      // biome-ignore lint/suspicious/noExplicitAny: tested untyped
      const stub: any = client.stub;
      const { promise, resolve } = Promise.withResolvers();
      const pass = () =>
        resolve(
          Promise.all([stub.callback(async (stream: unknown) => stream), stub.readAll(new Blob(['rest']).stream())]),
        );
      class Closing extends RpcTarget {
        [Symbol.dispose] = when === 'a target is disposed of' ? pass : () => {};
      }
      const kept = [new ReadableStream({ cancel: when === 'a source is cancelled' ? pass : () => {} }), new Closing()];
      // What is lost first passes something of the other kind.
      for (const value of when === 'a target is disposed of' ? kept.reverse() : kept) await stub.keep(value);
      const called = stub.callback(() => {
        if (when === 'a call is aborted') callContext().signal.addEventListener('abort', pass);
        return new Promise(() => {});
      });
      called.catch(() => {}); // it is lost
      await until(() => connection(stub).statistics.exports === 2);
      await stub.ping();
      await turns(1);
      client.cut();
      const rest = new TextEncoder().encode('rest');
      expect(await promise).toEqual([[new Uint8Array([0]), new Uint8Array([1])], [rest]]);
    },
  );

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

  test('leaves what has arrived whole', async () => {
    const { stub, channels } = setup();
    const stream = await stub.bytes(3, 1);
    await until(() => channels() === 0);
    stub[Symbol.dispose]();
    expect((await collect(stream)).length).toBe(3);
  });
});
