import type { Message } from '@lumenize/rpc';
import { type ConnectionState, connect, connection, connectOver, placeOf, type TransportEvents } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { connectPort } from '@lumenize/rpc/port';
import { callContext } from '@lumenize/rpc/server';
import { describe, expect, test, vi } from 'vitest';

class Target extends RpcTarget {
  ping(): string {
    return 'pong';
  }
}

/** A transport that does what the test says. */
function manualTransport() {
  const opened: TransportEvents[] = [];
  const sent: Message[] = [];
  const open = (events: TransportEvents) => {
    opened.push(events);
    return { send: (frame: Message) => void sent.push(frame), close: () => {} };
  };
  return { open, opened, sent };
}

/** Lets all jobs that are ready run. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe('a URL', () => {
  test.each(['', 'not a url', 'ftp://example.com/rpc/counter/main'])('%j is refused with an example of one', (url) => {
    expect(() => connect(url)).toThrow('a URL like ws://localhost:8787/rpc/<binding>/<instance>');
  });

  test.each([
    [
      'with a base',
      { document: { baseURI: 'https://example.com/app/' }, location: { href: 'https://other.example/' } },
    ],
    ['in srcdoc', { document: { baseURI: 'https://example.com/app/x' }, location: { href: 'about:srcdoc' } }],
    ['without a document', { document: undefined, location: { href: 'https://example.com/app/worker.js' } }],
    ['without a base', { document: {}, location: { href: 'https://example.com/app/#at' } }],
    ['whose document is null', { document: null, location: { href: 'https://example.com/app/' } }],
  ])('that is relative is one of the page, %s', async (_what, globals) => {
    const { location } = globals as { location?: object };
    for (const [name, value] of Object.entries({ ...globals, location })) vi.stubGlobal(name, value);
    const connected: string[] = [];
    class Socket extends EventTarget {
      constructor(url: string) {
        super();
        connected.push(url);
      }
      close() {}
    }
    vi.stubGlobal('WebSocket', Socket);
    using socket = connect('rpc/counter/main', { eager: true });
    const fetched: string[] = [];
    const fetch = async (url: string) => {
      fetched.push(url);
      return new Response('', { status: 404 });
    };
    using requests = connectHttp('/rpc/counter/main#part', { fetch });
    await expect(requests.increment()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    vi.unstubAllGlobals();
    expect(placeOf(socket).destination).toBe(connected[0]);
    expect(connected).toEqual(['wss://example.com/app/rpc/counter/main']);
    expect(fetched).toEqual(['https://example.com/rpc/counter/main']);
  });

  test('where nothing answers rejects the call and says what to check', async () => {
    using stub = connect('ws://127.0.0.1:1/rpc/counter/main', { maxWaitMs: 0 });
    await expect(stub.increment()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('is the Worker running'),
    });
  });
});

test('a port that cannot be reached does not ask about a URL', async () => {
  const port = Object.assign(new EventTarget(), { postMessage() {} });
  using stub = connectPort(port as never, { maxWaitMs: 0 });
  const call = stub.hello();
  await settle();
  port.dispatchEvent(new Event('close'));
  await expect(call).rejects.toMatchObject({
    code: 'NOT_EXECUTED',
    message: 'the port cannot be reached (1006 the port was closed)',
  });
});

describe('a limit', () => {
  test.each([
    { maxWaitMs: Number.NaN },
    { connectTimeoutMs: -1 },
    { maxQueuedCalls: '5' as never },
    { heartbeat: { intervalMs: Number.NaN } },
    { reconnect: { minDelayMs: -250 } },
    { limits: { maxMessageBytes: Number.NaN } },
  ])('that is none is refused, and named: %o', (options) => {
    const [name] = JSON.stringify(options).match(/\w+(?=":[^{])/)!;
    expect(() => connect('ws://127.0.0.1:1/rpc/counter/main', options)).toThrow(
      new TypeError(`${name} needs a number, 0 or more`),
    );
  });

  test('may be endless, or left to its default', () => {
    const options = { maxWaitMs: Number.POSITIVE_INFINITY, connectTimeoutMs: undefined, reconnect: { stableMs: 0 } };
    expect(() => connect('ws://127.0.0.1:1/rpc/counter/main', options)).not.toThrow();
  });
});

describe('a connection', () => {
  test('in memory tells its target when it ends', async () => {
    const ended = Promise.withResolvers<void>();
    class Waiting extends RpcTarget {
      wait(): Promise<void> {
        callContext().signal.addEventListener('abort', () => ended.resolve());
        return ended.promise;
      }
    }
    const stub = connectInMemory(new Waiting());
    const outcome = expect(stub.wait()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await settle();
    stub[Symbol.dispose]();
    await Promise.all([outcome, ended.promise]);
  });

  test('opens with the first call, or at once when asked', async () => {
    const lazy = manualTransport();
    const stub = connectOver<Target>(lazy.open, 'a test');
    expect([lazy.opened.length, connection(stub).state]).toEqual([0, 'idle']);
    stub.ping().catch(() => {});
    await settle();
    expect([lazy.opened.length, connection(stub).state]).toEqual([1, 'connecting']);

    const eager = manualTransport();
    connectOver<Target>(eager.open, 'a test', { eager: true });
    expect(eager.opened).toHaveLength(1);
  });

  test('delivers calls made before it opens, in order', async () => {
    const { open, opened, sent } = manualTransport();
    const stub = connectOver<Target>(open, 'a test');
    stub.ping();
    await settle();
    stub.ping();
    await settle();
    expect(sent).toHaveLength(0);
    opened[0].opened();
    expect(sent.map((frame) => JSON.parse(frame as string)[0])).toEqual([1, 2]);
  });

  test('that is lost settles what was sent as unknown, and what was not as not executed', async () => {
    const { open, opened } = manualTransport();
    const stub = connectOver<Target>(open, 'a test');
    const sent = stub.ping();
    await settle();
    opened[0].opened();
    opened[0].closed(1006, '');
    await expect(sent).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('lost a test'),
    });

    const waiting = stub.ping();
    await settle();
    opened[1].closed(1006, '');
    await expect(waiting).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
  });

  test('connects again with the next call, and hears no more of the old socket', async () => {
    const { open, opened, sent } = manualTransport();
    const states: ConnectionState[] = [];
    const stub = connectOver<Target>(open, 'a test', { onStateChange: (state) => states.push(state) });
    stub.ping().catch(() => {});
    await settle();
    opened[0].opened();
    opened[0].closed(1006, '');
    const again = stub.ping();
    await settle();
    opened[1].opened();
    opened[0].closed(1006, '');
    opened[1].received('[-2,"ok"]');
    expect(await again).toBe('ok');
    expect(sent).toHaveLength(2);
    expect(states).toEqual(['connecting', 'open', 'idle', 'connecting', 'open']);
  });

  test('whose listener throws logs that, and settles its calls all the same', async () => {
    const { open, opened } = manualTransport();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const onStateChange = () => {
      throw new Error('mine');
    };
    const stub = connectOver<Target>(open, 'a test', { onStateChange });
    const call = stub.ping();
    await settle();
    opened[0].opened();
    opened[0].closed(1006, '');
    await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await settle();
    expect(logged.mock.calls).toEqual(Array(3).fill([new Error('mine')]));
    logged.mockRestore();
  });

  test('tells a listener nothing more that was removed in the same turn', async () => {
    const stub = connectOver<Target>(manualTransport().open, 'a test');
    const states: ConnectionState[] = [];
    const stop = connection(stub).onStateChange((state) => states.push(state));
    connection(stub).open();
    stop();
    await settle();
    expect(states).toEqual([]);
  });

  test('whose server sends garbage is dropped, and its calls settle', async () => {
    const { open, opened } = manualTransport();
    const stub = connectOver<Target>(open, 'a test');
    const call = stub.ping();
    await settle();
    opened[0].opened();
    opened[0].received(Uint8Array.of(9, 9, 9, 9));
    await expect(call).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('malformed'),
    });
    expect(connection(stub).state).toBe('idle');
  });

  test('whose transport cannot even begin settles its calls', async () => {
    const stub = connectOver<Target>(() => {
      throw new Error('mixed content');
    }, 'a test');
    await expect(stub.ping()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('mixed content'),
    });
  });

  test('whose transport throws when it sends is lost, and its calls settle', async () => {
    const { open, opened } = manualTransport();
    const send = () => {
      throw new Error('the channel is closed');
    };
    const stub = connectOver<Target>((events) => ({ ...open(events), send }), 'a test');
    const call = stub.ping();
    await settle();
    opened[0].opened();
    await expect(call).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('the channel is closed'),
    });
    expect(connection(stub).state).toBe('idle');
  });

  test.each([
    ['closed', (_events: TransportEvents, stub: object) => connection(stub).close()],
    ['dropped', (events: TransportEvents) => events.received('no frame')],
  ])('whose transport throws when it is %s settles its calls all the same', async (_how, end) => {
    const { open, opened } = manualTransport();
    const close = () => {
      throw new Error('it is closed already');
    };
    const stub = connectOver<Target>((events) => ({ ...open(events), close }), 'a test');
    const call = stub.ping();
    await settle();
    opened[0].opened();
    end(opened[0], stub);
    await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  test('belongs to stubs only', () => {
    expect(() => connection({})).toThrow('stub');
  });
});

describe('a stub', () => {
  test('is an object that shows nothing and cannot be changed', () => {
    const stub = connectInMemory(new Target());
    expect(typeof stub).toBe('object');
    expect(JSON.stringify({ stub })).toBe('{"stub":{}}');
    expect(Object.keys(stub)).toEqual([]);
    expect(`${stub}`).toBe('RpcStub');
    expect(() => Object.assign(stub, { ping: 1 })).toThrow(TypeError);
  });

  test('of a result is a promise to look at, and no function', async () => {
    const stub = connectInMemory(new Target());
    const result = stub.ping();
    expect(result).toBeInstanceOf(Promise);
    expect(typeof result).toBe('object');
    expect(await result.then((text) => text.length).finally(() => {})).toBe(4);
    await expect(stub.ping()).resolves.toBe('pong');
  });

  test('used without await says so', () => {
    const stub = connectInMemory(new Target());
    expect(() => `${stub.ping()}`).toThrow('await the result first');
  });

  test('of one connection cannot be passed over another', async () => {
    const one = connectInMemory(new Target());
    // biome-ignore lint/suspicious/noExplicitAny: types forbid the argument
    const other: any = connectInMemory(new Target());
    await expect(other.ping(one.ping())).rejects.toMatchObject({
      code: 'NOT_CLONEABLE',
      message: expect.stringContaining('of another connection'),
    });
  });

  test('of an earlier turn is passed on as what has arrived', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: types forbid the argument
    const stub: any = connectInMemory(new Target());
    const early = stub.ping();
    await early;
    expect(await stub.ping(early)).toBe('pong');
  });

  test('whose call nobody waits for raises nothing when it fails', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    // biome-ignore lint/suspicious/noExplicitAny: the method does not exist
    const stub: any = connectInMemory(new Target());
    stub.nothing();
    stub.nothing().more().steps();
    await settle();
    await settle();
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
    expect(connection(stub).statistics.callsInFlight).toBe(0);
  });
});

describe('many calls', () => {
  test('of one turn are split before a frame has too many, in order and all answered', async () => {
    const stub = connectInMemory(new Target());
    const results = await Promise.all(Array.from({ length: 10_001 }, () => stub.ping()));
    expect(new Set(results)).toEqual(new Set(['pong']));
    expect(connection(stub).statistics).toMatchObject({ framesSent: 2, callsInFlight: 0 });
  });

  test('that run at once beyond the limit are refused, and not run', async () => {
    let started = 0;
    const over = Promise.withResolvers<void>();
    class Slow extends RpcTarget {
      wait(): Promise<void> {
        started++;
        return over.promise;
      }
    }
    const stub = connectInMemory(new Slow(), { limits: { maxCallsInFlight: 10 } });
    const calls = Array.from({ length: 15 }, () => stub.wait());
    await expect(calls.at(-1)).rejects.toMatchObject({ code: 'OVERLOADED' });
    over.resolve();
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(started).toBe(10);
    await expect(stub.wait()).resolves.toBeUndefined();
  });
});

test('what is read when this side closes the connection fails, and says why', async () => {
  class Counting extends RpcTarget {
    async *count() {
      for (let n = 0; ; n++) yield n;
    }
  }
  const stub = connectInMemory(new Counting());
  const counting = await stub.count();
  const reading = (async () => {
    for await (const n of counting) if (n === 0) connection(stub).close();
  })();
  await expect(reading).rejects.toMatchObject({
    code: 'REFERENCE_LOST',
    message: 'it ended with its connection: the connection was closed: with "using", await calls inside its block',
  });
});

describe('a getter among the arguments of a call', () => {
  class Api extends RpcTarget {
    echo(value: unknown): unknown {
      return value;
    }
    list(...values: unknown[]): unknown[] {
      return values;
    }
  }

  test.each([
    ['makes another', 10],
    ['makes one that fills a frame', 300_000],
  ])('that %s leaves each with its own arguments and result', async (_what, length) => {
    const stub = connectInMemory(new Api());
    const text = 'x'.repeat(length);
    const made: PromiseLike<unknown>[] = [];
    const given = {
      get made() {
        made.push(stub.echo(text));
        return true;
      },
    };
    const [first, second] = [stub.echo('first'), stub.echo('second')];
    const all = await Promise.all([stub.list(first, given, first), second, stub.echo('last')]);
    expect(all).toEqual([['first', { made: true }, 'first'], 'second', 'last']);
    expect(new Set(await Promise.all(made))).toEqual(new Set([text]));
  });

  test('that makes another is not asked for ever if its value does not fit into a message', async () => {
    const stub = connectInMemory(new Api(), { limits: { maxMessageBytes: 1000 } });
    let asked = 0;
    const given = {
      get made() {
        void stub.echo(++asked);
        return 'x'.repeat(2000);
      },
    };
    const [small, large] = await Promise.allSettled([stub.echo('small'), stub.echo(given)]);
    expect([small.status, (large as PromiseRejectedResult).reason.code, asked < 10]).toEqual([
      'fulfilled',
      'TOO_LARGE',
      true,
    ]);
  });
});

describe('size', () => {
  test('of arguments beyond a frame is refused before sending', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: types forbid the argument
    const stub: any = connectInMemory(new Target(), { limits: { maxMessageBytes: 1000 } });
    await expect(stub.ping(new Uint8Array(2000))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(connection(stub).statistics.framesSent).toBe(0);
    expect(await stub.ping()).toBe('pong');
  });

  test('is bounded by the default where the limit is undefined', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: types forbid the argument
    const stub: any = connectInMemory(new Target(), { limits: { maxMessageBytes: undefined } });
    await expect(stub.ping(new Uint8Array(33_554_432))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(connection(stub).statistics.framesSent).toBe(0);
  });

  test('of calls, results and chunks that fit one by one is no reason to refuse them in one turn', async () => {
    class Echo extends RpcTarget {
      echo(text: string): string {
        return text;
      }
      async *chunks(text: string): AsyncGenerator<string> {
        for (let n = 0; n < 5; n++) yield text;
      }
      length(...texts: string[]): number {
        return texts.join('').length;
      }
    }
    const stub = connectInMemory(new Echo(), { limits: { maxMessageBytes: 1000 } });
    const texts = Array.from({ length: 5 }, (_, n) => `${n}`.repeat(600));
    expect(await Promise.all(texts.map((text) => stub.echo(text)))).toEqual(texts);
    // The last one uses the result of the first, which is in a frame before it.
    const [first] = [stub.echo('x'.repeat(200)), stub.echo('x'.repeat(500))];
    expect(await stub.length(first, 'x'.repeat(400))).toBe(600);
    const few = await Promise.all(texts.map((text) => stub.echo(text.slice(0, 300))));
    expect(few).toEqual(texts.map((text) => text.slice(0, 300)));
    let chunks = 0;
    for await (const chunk of await stub.chunks(texts[1])) chunks += Number(chunk === texts[1]);
    expect(chunks).toBe(5);
    await expect.poll(() => connection(stub).statistics).toMatchObject({ callsInFlight: 0, heldResults: 0 });
  });

  test('of what is answered in one turn is no reason to leave an error out', async () => {
    class Mixed extends RpcTarget {
      text(length: number): string {
        return 'x'.repeat(length);
      }
      unsendable(): unknown {
        return Symbol('unsendable');
      }
    }
    const stub = connectInMemory(new Mixed(), { limits: { maxMessageBytes: 1000 } });
    const [text, error] = await Promise.allSettled([stub.text(950), stub.unsendable()]);
    expect([text.status, (error as PromiseRejectedResult).reason.code]).toEqual(['fulfilled', 'NOT_CLONEABLE']);
  });

  test('of a result beyond a frame is answered with an error', async () => {
    class Large extends RpcTarget {
      bytes(): Uint8Array {
        return new Uint8Array(2000);
      }
    }
    const stub = connectInMemory(new Large(), { limits: { maxMessageBytes: 1000 } });
    await expect(stub.bytes()).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('bytes()'),
    });
  });
});
