import { connection, withOptions } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { expect, test, vi } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does, too
type Any = any;

class Api extends RpcTarget {
  disposed = 0;
  echo(...values: unknown[]): unknown {
    return values.length === 1 ? values[0] : values;
  }
  none(): Response {
    return Response.error();
  }
  throws(value: unknown): never {
    throw value;
  }
  async later(): Promise<never> {
    await undefined;
    throw new RangeError('later');
  }
  list(): number[] {
    return [1, 2];
  }
  mapped(): Mapped {
    return new Mapped();
  }
  each(callback: (n: number) => unknown, n: number): unknown {
    return callback(n);
  }
  kept(): Kept {
    return new Kept(this);
  }
  async keptLater(): Promise<Kept> {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return new Kept(this);
  }
  unsendable(): unknown {
    return [new Kept(this), Symbol('no value')];
  }
}

class Kept extends RpcTarget {
  readonly #api: Api;
  constructor(api: Api) {
    super();
    this.#api = api;
  }
  [Symbol.dispose](): void {
    this.#api.disposed++;
  }
}

/** Has a method that is named as that of lists. */
class Mapped extends RpcTarget {
  map(callback: (n: number) => unknown): unknown {
    return callback(5);
  }
}

const setup = (): Any => connectInMemory(new Api());
const collect = async (stream: ReadableStream) => {
  const chunks: unknown[] = [];
  for await (const chunk of stream as unknown as AsyncIterable<unknown>) chunks.push(chunk);
  return chunks;
};

test('requests and responses without a body are passed at once', async () => {
  using stub = setup();
  const { method, url } = await stub.echo(new Request('http://a.test/'));
  expect([method, url]).toEqual(['GET', 'http://a.test/']);
  expect((await stub.echo(new Response(null, { status: 204 }))).status).toBe(204);
  await expect(stub.none()).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
});

test('an error that holds a Blob is thrown with it', async () => {
  using stub = setup();
  const error = await stub.throws(Object.assign(new RangeError('no'), { why: new Blob(['why']) })).catch((e: Any) => e);
  expect([error.name, await error.why.text()]).toEqual(['RangeError', 'why']);
});

test('a stream of a call that cannot be sent is as it was, and is passed by the next one', async () => {
  using stub = setup();
  const stream = new Blob(['x']).stream();
  await expect(stub.echo(stream, Symbol('no'))).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  expect([stream.locked, connection(stub).statistics.channels]).toEqual([false, 0]);
  // A buffer that is shared makes the encoder go through a value twice.
  const buffer = new ArrayBuffer(8);
  const views = [new Uint8Array(buffer, 0, 4), new Uint8Array(buffer, 4)];
  const [back] = await stub.echo(stream, views);
  expect(await collect(back)).toEqual([new TextEncoder().encode('x')]);
  await vi.waitUntil(() => connection(stub).statistics.channels === 0);
});

test('a target that is written twice is counted once, and let go of', async () => {
  let disposed = 0;
  class Mine extends RpcTarget {
    [Symbol.dispose](): void {
      disposed++;
    }
  }
  class Taker extends RpcTarget {
    take({ mine }: Any): void {
      mine[Symbol.dispose]();
    }
  }
  const stub: Any = connectInMemory(new Taker());
  const buffer = new ArrayBuffer(8);
  await stub.take({ mine: new Mine(), views: [new Uint8Array(buffer), new Uint8Array(buffer)] });
  await vi.waitUntil(() => disposed === 1);
  expect(connection(stub).statistics.exports).toBe(0);
});

test('byte streams arrive as byte streams, and can be read into buffers', async () => {
  using stub = setup();
  const bytes = new ReadableStream({
    type: 'bytes',
    start(controller) {
      controller.enqueue(new Uint8Array([1, 2, 3]));
      controller.close();
    },
  });
  const reader = (await stub.echo(bytes)).getReader({ mode: 'byob' });
  expect([...(await reader.read(new Uint8Array(8))).value]).toEqual([1, 2, 3]);
  expect((await reader.read(new Uint8Array(8))).done).toBe(true);
});

test('a locked stream is refused with the path to it', async () => {
  using stub = setup();
  const stream = new ReadableStream();
  stream.getReader();
  await expect(stub.echo(1, { deep: [stream] })).rejects.toMatchObject({
    code: 'NOT_CLONEABLE',
    message: expect.stringContaining('at argument 1.deep[0]'),
  });
});

test('a source is told why its reader fails', async () => {
  using stub = setup();
  const told = Promise.withResolvers<unknown>();
  const stream = new ReadableStream({
    pull: (controller) => controller.enqueue({ no: Symbol('no') }),
    cancel: (reason) => told.resolve(reason),
  });
  const reader = (await stub.echo(stream)).getReader();
  await expect(reader.read()).rejects.toThrow(/symbols cannot be cloned/);
  expect(await told.promise).toMatchObject({ code: 'NOT_CLONEABLE' });
});

test('a late map() runs over what has arrived', async () => {
  using stub = setup();
  const list = stub.echo([1, 2, 3]);
  await list;
  expect(await list.map((n: Any) => stub.echo(n, 'x'))).toEqual([
    [1, 'x'],
    [2, 'x'],
    [3, 'x'],
  ]);
});

test('a recorded callback passes functions of the client, which each element gets', async () => {
  using stub = setup();
  const got: number[] = [];
  const results = await stub.list().map((n: Any) => stub.each((given: number) => got.push(given), n));
  expect([results, got]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

test('a recorded callback fails with a call that it uses for nothing', async () => {
  using stub = setup();
  const mapped = stub.list().map((n: Any) => {
    stub.later();
    return n;
  });
  await expect(mapped).rejects.toThrow(new RangeError('later'));
});

test('what fails in map() with settle is told to the server', async () => {
  const told: unknown[] = [];
  const stub: Any = connectInMemory(new Api(), { onError: (error) => told.push(error) });
  const settled = await stub.list().map(() => stub.later(), { settle: true });
  expect(settled.map(({ status }: Any) => status)).toEqual(['rejected', 'rejected']);
  expect(told).toEqual([new RangeError('later'), new RangeError('later')]);
});

test('a target that has a method of that name calls the callback', async () => {
  using stub = setup();
  expect(await stub.mapped().map((n: Any) => stub.echo(n, 'x'))).toEqual([5, 'x']);
});

test('a recorded callback obeys the options of the stub that map() is called on', async () => {
  using stub = setup();
  const limited: Any = withOptions(stub, { timeoutMs: 5000 });
  expect(await limited.list().map((n: Any) => limited.echo(n))).toEqual([1, 2]);
  expect(() => stub.list().map((n: Any) => limited.echo(n))).toThrow(/options of its own/);
});

test('a value that has another Blob each time that it is read is refused', async () => {
  using stub = setup();
  const value = {
    get blob() {
      return new Blob(['x']);
    },
  };
  await expect(stub.echo(value)).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
});

test('a writable stream that fails holds nothing', async () => {
  const stub: Any = connectInMemory(
    new (class extends RpcTarget {
      sink() {
        return new WritableStream({
          write() {
            throw new RangeError('broke');
          },
        });
      }
    })(),
  );
  const writer = (await stub.sink()).getWriter();
  writer.closed.catch(() => {}); // the writes are asked
  const failing = (async () => {
    for (let n = 0; n < 1000; n++) await writer.write(n);
  })();
  await expect(failing).rejects.toThrow(new RangeError('broke'));
  expect(connection(stub).statistics.channels).toBe(0);
});

test('a recorded callback captures what has not arrived yet', async () => {
  using stub = setup();
  const slow = stub.echo({ deep: { n: 7 } });
  const { deep } = slow;
  await Promise.resolve().then().then().then().then();
  expect(await stub.list().map((n: Any) => stub.echo(n, deep.n, slow.deep))).toEqual([
    [1, 7, { n: 7 }],
    [2, 7, { n: 7 }],
  ]);
});

test('callbacks have no more running at once than calls may, and a limit is no outcome of an element', async () => {
  let begun = 0;
  const over = Promise.withResolvers<void>();
  const stub: Any = connectInMemory(
    new (class extends RpcTarget {
      list() {
        return Array.from({ length: 30 }, () => [1, 2]);
      }
      wait() {
        begun++;
        return over.promise;
      }
      echo(value: unknown) {
        return value;
      }
    })(),
    { limits: { maxCallsInFlight: 10, maxMapOperations: 100 } },
  );
  const mapped = stub.list().map(() => stub.wait());
  await vi.waitUntil(() => begun > 0);
  expect(begun).toBe(10);
  over.resolve();
  expect(await mapped).toHaveLength(30);
  const nested = stub.list().map((each: Any) => each.map((n: Any) => stub.echo(n)), { settle: true });
  await expect(nested).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
});

test('a writable stream that fails says so, before anything else is written', async () => {
  const sink = new WritableStream({
    write() {
      throw new RangeError('broke');
    },
  });
  using stub: Any = connectInMemory(
    new (class extends RpcTarget {
      sink() {
        return sink;
      }
    })(),
  );
  const writer = (await stub.sink()).getWriter();
  await writer.write(1);
  await expect(writer.closed).rejects.toThrow(new RangeError('broke'));
});

test('a signal that is aborted while its call waits for a connection aborts the call', async () => {
  using stub: Any = connectInMemory(
    new (class extends RpcTarget {
      async until(signal: AbortSignal) {
        while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1));
        return signal.reason;
      }
    })(),
  );
  const controller = new AbortController();
  const waiting = stub.until(controller.signal);
  controller.abort('seen enough');
  expect(await waiting).toBe('seen enough');
});

test('who reads little makes little be produced, and leaving a loop waits for what ends', async () => {
  let made = 0;
  let isOpen = true;
  using stub: Any = connectInMemory(
    new (class extends RpcTarget {
      async *numbers() {
        try {
          for (;;) yield made++;
        } finally {
          await new Promise((resolve) => setTimeout(resolve, 1));
          isOpen = false;
        }
      }
    })(),
  );
  for await (const first of await stub.numbers()) {
    expect(first).toBe(0);
    break;
  }
  expect(isOpen).toBe(false);
  expect(made).toBeLessThan(20);
});

test('targets in results that cannot be sent, or that nobody waits for, are disposed of', async () => {
  const api = new Api();
  using stub = connectInMemory(api) as Any;
  await expect(stub.unsendable()).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  expect(api.disposed).toBe(1);
  await expect(withOptions(stub, { timeoutMs: 5 }).keptLater()).rejects.toMatchObject({ code: 'TIMED_OUT' });
  await vi.waitUntil(() => api.disposed === 2);
});

test('what is passed to a step that is not come to is given back', async () => {
  using stub = setup();
  await expect(stub.nothing().each(() => 1, 2)).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  await vi.waitUntil(() => connection(stub).statistics.exports === 0);
});

test('what is passed to a call that is given up before it is sent is let go of', async () => {
  using stub = setup();
  const controller = new AbortController();
  const calls = [withOptions(stub, { signal: controller.signal }).each(() => 1, 2), stub.echo(1)];
  controller.abort();
  await expect(calls[0]).rejects.toMatchObject({ code: 'CANCELLED' });
  expect([await calls[1], connection(stub).statistics.exports]).toEqual([1, 0]);
});
