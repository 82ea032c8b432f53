import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connection, connectOver, RpcError } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { RpcTarget, testConnection } from '@lumenize/rpc/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { probedTransport } from './support/probed-transport.ts';
import { until } from './support/serve.ts';

// biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does
type Any = any;

const NEEDED = [
  'crypto.getRandomValues',
  'FinalizationRegistry',
  'Promise.withResolvers',
  'TextDecoder',
  'TextEncoder',
  'URL.canParse',
  'btoa',
];

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.resetModules();
});

/** Takes a global away, or a member of one. */
function takeAway(path: string): void {
  const [name, member] = path.split('.');
  if (member === undefined) vi.stubGlobal(name, undefined);
  else vi.spyOn(Reflect.get(globalThis, name), member, 'get').mockReturnValue(undefined);
}

describe('a runtime', () => {
  test.each([...NEEDED.map((path) => [path]), NEEDED])('without %s is told so when it connects', async (...paths) => {
    for (const path of paths) takeAway(path);
    vi.resetModules();
    const { connect } = await import('../src/index.ts');
    expect(() => connect('ws://localhost/')).toThrow(`needs a polyfill: ${paths.join(',')}`);
  });

  test('without the values of the web makes calls', async () => {
    const names = 'Headers Request Response Blob File FormData DOMException URLSearchParams Temporal SharedArrayBuffer';
    for (const name of `${names} structuredClone MessageChannel`.split(' ')) takeAway(name);
    vi.resetModules();
    const memory = await import('../src/memory.ts');
    class Room extends memory.RpcTarget {
      echo(value: unknown) {
        return value;
      }
      room() {
        return new Room();
      }
      ask(question: (text: string) => string) {
        return question('Is anybody here?');
      }
      fail() {
        throw new RangeError('nobody');
      }
    }
    const stub: Any = memory.connectInMemory(new Room());
    vi.spyOn(console, 'error').mockReturnValue();
    const value = { list: [1, 'ü', null, undefined, 1n], map: new Map([[new Date(0), new Set([1])]]), at: -0 };
    expect(await stub.echo(value)).toEqual(value);
    expect(await stub.room().room().echo(new Uint8Array(3))).toEqual(new Uint8Array(3));
    expect(await stub.ask((text: string) => text.toUpperCase())).toBe('IS ANYBODY HERE?');
    await expect(stub.fail()).rejects.toThrow(RangeError);
  });

  test.each<[string, RegExp, readonly string[]]>([
    ['guides/getting-started.md', /\| `needs a polyfill: ([^`]*)` \| `TypeError`/g, ['Promise.withResolvers']],
    ['internals/runtimes.md', /`([\w.]+)`/g, NEEDED],
  ])('is described in docs/%s', (name, pattern, expected) => {
    const text = readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8');
    expect([...text.matchAll(pattern)].map(([, found]) => found)).toEqual(expect.arrayContaining([...expected]));
  });
});

describe('a result that is refused where it arrives', () => {
  test.each([
    ['a type that the engine does not have', { $Temporal: ['PlainDate', '2020-02-29'] }, /no Temporal$/],
    ['a class that is not registered', { $class: ['Money', 5] }, /^class Money is not accepted here/],
  ])('fails its call and no other: %s', async (_what, mark, reason) => {
    vi.stubGlobal('Temporal', undefined);
    const { open, attempts } = probedTransport();
    const stub: Any = connectOver(open, 'a test');
    const outcomes = Promise.allSettled([stub.first(), stub.today(), stub.last()]);
    await until(() => attempts.length === 1);
    attempts[0].opened();
    await until(() => attempts[0].sent.length === 1);
    attempts[0].received(JSON.stringify([-1, 7, { $: mark }, 8]));
    const [first, today, last] = await outcomes;
    expect([first, last]).toMatchObject([{ value: 7 }, { value: 8 }]);
    expect((today as PromiseRejectedResult).reason).toMatchObject({
      name: 'RpcError',
      code: 'NOT_CLONEABLE',
      message: expect.stringMatching(reason),
    });
    expect([connection(stub).state, attempts[0].closes]).toEqual(['open', []]);
    stub[Symbol.dispose]();
  });

  test.each([
    ['a value that no encoder writes', { $Map: 5 }],
    ['a mark that nothing has', { $Other: [1] }],
  ])('ends the connection if it is %s', async (_what, mark) => {
    const { open, attempts } = probedTransport();
    const stub: Any = connectOver(open, 'a test', { onStateChange: () => {} });
    const call = stub.first().then(null, (error: unknown) => error);
    await until(() => attempts.length === 1);
    attempts[0].opened();
    await until(() => attempts[0].sent.length === 1);
    attempts[0].received(JSON.stringify([-1, { $: mark }]));
    expect(await call).toMatchObject({ code: expect.stringMatching(/^MALFORMED/) });
    expect([connection(stub).state, attempts[0].closes.length]).toEqual(['reconnecting', 1]);
    stub[Symbol.dispose]();
  });
});

test.each(['a source is cancelled', 'a target is disposed of'])(
  'what is passed while %s, because the connection was lost, is there over the next one',
  async (when) => {
    class Api extends RpcTarget {
      kept: unknown;
      keep(value: Any): void {
        this.kept = value.dup?.() ?? value;
      }
      ask(callback: () => unknown): unknown {
        return callback();
      }
      async read(stream: ReadableStream): Promise<unknown[]> {
        const chunks: unknown[] = [];
        for await (const chunk of stream as Any) chunks.push(chunk);
        return chunks;
      }
    }
    using connected = testConnection(() => new Api());
    const stub: Any = connected.stub;
    const { promise, resolve } = Promise.withResolvers();
    const pass = () =>
      resolve(Promise.all([stub.ask(() => 'asked'), stub.read((ReadableStream as Any).from(['read']))]));
    class Closing extends RpcTarget {
      [Symbol.dispose](): void {
        pass();
      }
    }
    await stub.keep(when === 'a source is cancelled' ? new ReadableStream({ cancel: pass }) : new Closing());
    connected.cut();
    expect(await promise).toEqual(['asked', ['read']]);
  },
);

/** What is assigned to the message of an error, which nothing keeps from being no text. */
const MESSAGES: Readonly<Record<string, unknown>> = {
  'a number': 5,
  undefined,
  'an object': { code: 5, toString: 'no function' },
  'an object without prototype': Object.assign(Object.create(null), { a: 1 }),
  'a list': [1, undefined],
};

describe.each(Object.entries(MESSAGES))('an error whose message is %s', (_name, message) => {
  test.each<[string, () => Error]>([
    ['an error', () => new RangeError('x')],
    ['an error of the library', () => new RpcError('DENIED', 'x')],
  ])('arrives, thrown, returned and in a stream, and ends nothing else: %s', async (kind, make) => {
    vi.spyOn(console, 'error').mockReturnValue();
    const thrown = Object.defineProperty(make(), 'message', { value: message });
    class Thrower extends RpcTarget {
      fails() {
        throw thrown;
      }
      returns() {
        return [thrown];
      }
      works() {
        return 'works';
      }
      async *items() {
        yield 1;
        throw thrown;
      }
    }
    using stub = connectInMemory(new Thrower());
    const other = stub.works();
    const read = async () => {
      for await (const _ of await stub.items());
    };
    const failures = [await stub.fails().catch((error) => error), await read().catch((error) => error)];
    for (const error of [...failures, (await stub.returns())[0]]) {
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).name).toBe(thrown.name);
      // Errors of the library have texts.
      if (kind === 'an error') expect((error as Error).message).toEqual(message);
      else expect(typeof (error as Error).message).toBe('string');
    }
    expect([await other, await stub.works()]).toEqual(['works', 'works']);
  });
});
