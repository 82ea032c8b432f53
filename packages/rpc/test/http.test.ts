import { connection, RpcError, type Stub } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { RpcTarget, serveRpc } from '@lumenize/rpc/server';
import { toMessage } from '@lumenize/structured-clone/messages';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpHandler, type ServedHttp, serveHttp } from '../../../test/support/serve-http.ts';
import { BATCH_TYPE, REFUSAL_TYPE, readBatch, writeBatch } from '../src/transport/batch.ts';
import type { Message } from '../src/types/message.ts';

const ran: string[] = [];

class Target extends RpcTarget {
  static readonly rpc = { room: { restorable: true } };

  itself(): Target {
    return this;
  }

  room(_name: string): Target {
    return new Target();
  }

  run(name: string): string {
    ran.push(name);
    return name;
  }

  async runLater(name: string): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve));
    return this.run(name);
  }

  profile(): { name: string } {
    return { name: 'Ada' };
  }

  size(bytes: Uint8Array): number {
    return bytes.length;
  }
}

/** Serves as a Worker would. */
const serve: HttpHandler = (request) =>
  serveRpc(request as never, new Target()) as Promise<unknown> as Promise<Response>;

const handlers: HttpHandler[] = [];
const requests: Request[] = [];
let server: ServedHttp;
let stub: Stub<Target>;

beforeEach(async () => {
  ran.length = handlers.length = requests.length = 0;
  server = await serveHttp((request) => {
    requests.push(request.clone());
    return (handlers.shift() ?? serve)(request);
  });
  stub = connectHttp<Target>(server.url);
});
afterEach(async () => {
  connection(stub).close();
  await server[Symbol.asyncDispose]();
});

describe('requests', () => {
  test('are one for a whole pipeline', async () => {
    expect(await stub.run(stub.profile().name)).toBe('Ada');
    expect(requests.length).toBe(1);
  });

  test('are made one at a time, and what waits goes together in the next', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    handlers.push(async (request) => {
      await gate;
      return serve(request);
    });
    const first = stub.run('first');
    await until(() => requests.length === 1);
    const others = ['a', 'b', 'c'].map(async (name) => {
      // Each in a frame of its own.
      await new Promise((resolve) => setTimeout(resolve));
      return stub.run(name);
    });
    await until(() => connection(stub).statistics.framesSent >= 2);
    open();
    expect(await Promise.all([first, ...others])).toEqual(['first', 'a', 'b', 'c']);
    expect(ran).toEqual(['first', 'a', 'b', 'c']);
    expect(requests.length).toBe(2);
  });

  test('carry what is not larger than a body may be', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    handlers.push(async (request) => {
      await gate;
      return serve(request);
    });
    using limited = connectHttp<Target>(server.url, { limits: { maxMessageBytes: 4_000_000 } });
    const first = limited.run('first');
    await until(() => requests.length === 1);
    const sizes = [3_000_000, 3_000_000, 100_000, 100_000].map((size) => limited.size(new Uint8Array(size)));
    await until(() => connection(limited).statistics.framesSent > 2);
    open();
    expect(await Promise.all([first, ...sizes])).toEqual(['first', 3_000_000, 3_000_000, 100_000, 100_000]);
    expect(requests.length).toBe(3);
  });

  test('are answered when asynchronous calls have ended', async () => {
    expect(await Promise.all([stub.runLater('slow'), stub.run('quick')])).toEqual(['slow', 'quick']);
    expect(requests.length).toBe(1);
  });

  test('have headers that are asked for anew each time', async () => {
    let count = 0;
    using counted = connectHttp<Target>(server.url, { headers: async () => ({ Authorization: `token ${++count}` }) });
    await counted.run('a');
    await counted.run('b');
    expect(requests.map(({ headers }) => headers.get('Authorization'))).toEqual(['token 1', 'token 2']);
  });

  test('go on when the connection is closed, and their calls are unknown', async () => {
    const { promise: answered, resolve } = Promise.withResolvers<Response>();
    handlers.push(() => answered);
    using closing = connectHttp<Target>(server.url);
    const call = closing.run('late');
    await until(() => requests.length === 1);
    connection(closing).close();
    await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    resolve(new Response('nobody waits for it'));
  });
});

describe('a request that fails', () => {
  const CUT: HttpHandler = () => null;
  const page =
    (status: number): HttpHandler =>
    () =>
      new Response('a page', { status });

  test.each<[string, HttpHandler, string, string]>([
    ['by a connection that is cut', CUT, 'OUTCOME_UNKNOWN', 'it may have run'],
    [
      'for a reason of the platform',
      CUT,
      'OUTCOME_UNKNOWN',
      'TypeError: fetch failed (SocketError: other side closed)',
    ],
    ['with 500', page(500), 'OUTCOME_UNKNOWN', 'answered 500'],
    ['with 503', page(503), 'OUTCOME_UNKNOWN', 'answered 503'],
    [
      'with the lines of a page',
      () => new Response('<p>\n  no\n</p>', { status: 502 }),
      'OUTCOME_UNKNOWN',
      '<p> no </p>',
    ],
    ['with a page', page(200), 'OUTCOME_UNKNOWN', 'text/plain'],
    ['with an answer that is cut short', cutShort, 'OUTCOME_UNKNOWN', 'malformed'],
    ['with 401', page(401), 'DENIED', 'answered 401: a page'],
    ['with 403', page(403), 'DENIED', 'answered 403'],
    ['with 404', page(404), 'NOT_FOUND', 'answered 404'],
    ['with 413', page(413), 'TOO_LARGE', 'answered 413'],
    ['with 429', page(429), 'NOT_EXECUTED', 'answered 429'],
  ])('%s settles its calls, and the next call works again', async (_how, handler, code, message) => {
    handlers.push(handler);
    const outcomes = await Promise.allSettled([stub.run('a'), stub.run('b')]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ reason: { code, message: expect.stringContaining(message) } });
    }
    expect(connection(stub)).toMatchObject({ state: 'idle', statistics: { callsInFlight: 0 } });
    expect(await stub.run('again')).toBe('again');
  });

  test.each<[string, HttpHandler, string, string]>([
    ['OUTCOME_UNKNOWN', CUT, 'OUTCOME_UNKNOWN', 'NOT_EXECUTED'],
    ['a refusal', page(403), 'DENIED', 'DENIED'],
  ])('with %s says of the calls that waited that they did not run', async (_how, handler, code, waiting) => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    handlers.push(async (request) => {
      await gate;
      return handler(request);
    });
    const first = stub.run('first').catch((error: unknown) => error);
    await until(() => requests.length === 1);
    const others = Promise.allSettled([stub.run('a'), stub.run('b')]);
    await until(() => connection(stub).statistics.framesSent === 2);
    open();
    expect(await first).toMatchObject({ code });
    for (const outcome of await others) expect(outcome).toMatchObject({ reason: { code: waiting } });
    expect(ran).toEqual([]);
    expect(await stub.run('again')).toBe('again');
  });

  test('because nothing listens did not run anything', async () => {
    await server[Symbol.asyncDispose]();
    await expect(stub.run('a')).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('cannot be reached (ECONNREFUSED)'),
    });
    server = await serveHttp(serve);
  });

  test('of a function that rejects with nothing settles its calls', async () => {
    using stub = connectHttp<Target>(server.url, { fetch: () => Promise.reject() });
    await expect(stub.run('a')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  test('because its headers cannot be made did not run anything', async () => {
    using tokenless = connectHttp<Target>(server.url, {
      headers: () => {
        throw new Error('no token');
      },
    });
    await expect(tokenless.run('a')).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('no token'),
    });
    expect(requests.length).toBe(0);
  });
});

describe('an answer', () => {
  test.each([
    ['is empty', []],
    ['holds nothing about calls', ['[-1]']],
    ['is about other calls only', ['[-100,"extra"]']],
  ])('that %s settles its calls, and the next call works', async (_how, frames) => {
    handlers.push(() => answer(frames));
    for (const outcome of await Promise.allSettled([stub.run('a'), stub.run('b')])) {
      expect(outcome).toMatchObject({
        reason: { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('it may have run: the answer leaves') },
      });
    }
    expect(connection(stub).statistics.callsInFlight).toBe(0);
    expect(await stub.run('again')).toBe('again');
  });

  test.each([
    ['ends behind the first answer', ['[-1,"a"]', '{"close":[1013,"OVERLOADED: too much"]}'], 'too much'],
    ['cannot be read', ['[-1,"a"]', '{bad'], 'JSON'],
    ['ends in no known way', ['[-1,"a"]', '{"close":5}'], 'undefined'],
  ])('that %s settles its calls, and those that wait have not run', async (_how, frames, message) => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    handlers.push(async () => {
      await gate;
      return answer(frames);
    });
    const sent = Promise.allSettled([stub.run('a'), stub.run('b')]);
    await until(() => requests.length === 1);
    const waiting = stub.run('c').catch((error: unknown) => error);
    await until(() => connection(stub).statistics.framesSent === 2);
    open();
    expect(await sent).toMatchObject([
      { value: 'a' },
      { reason: { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining(message) } },
    ]);
    expect(await waiting).toMatchObject({ code: 'NOT_EXECUTED' });
    expect(connection(stub).statistics.callsInFlight).toBe(0);
    expect(await stub.run('again')).toBe('again');
    expect(ran).toEqual(['again']);
  });

  test('that leaves out a call settles it, and leaves alone what waits for the next request', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    handlers.push(async () => {
      await gate;
      return answer(['[-1,"first"]']);
    });
    const first = Promise.allSettled([stub.run('a'), stub.run('b')]);
    await until(() => requests.length === 1);
    const next = stub.run('c');
    await until(() => connection(stub).statistics.framesSent === 2);
    open();
    expect(await first).toMatchObject([{ value: 'first' }, { reason: { code: 'OUTCOME_UNKNOWN' } }]);
    expect(await next).toBe('c');
  });

  test('with more results than there were calls is read as far as there are any', async () => {
    handlers.push(() => answer(['[-1,"a","extra","more"]', '[-7,"extra"]']));
    expect(await stub.run('a')).toBe('a');
    expect(await stub.run('b')).toBe('b');
    expect(connection(stub)).toMatchObject({ state: 'open', statistics: { callsInFlight: 0 } });
  });
});

test.each([
  ['large', 5000, ['a', 'others', 'a', 'a']],
  ['small', 5, ['a', 'a', 'a', 'others']],
])('between the %s frames of a batch others have their turn where they take long', async (_size, count, order) => {
  const frames = [1, 2, 3].map((nth) => {
    const entries = Array.from({ length: count }, (_, at) => (at === 0 ? ['run', ['a']] : ['profile', []]));
    return JSON.stringify([nth * 10_000, ...entries]);
  });
  const init = { method: 'POST', headers: { 'Content-Type': BATCH_TYPE }, body: writeBatch(frames) };
  class Noting extends Target {
    override run(name: string): string {
      if (ran.length === 0) setTimeout(() => ran.push('others'));
      return super.run(name);
    }
  }
  await serveRpc(new Request('http://worker.test/', init) as never, new Noting());
  while (ran.length < 4) await new Promise((resolve) => setTimeout(resolve));
  expect(ran).toEqual(order);
});

describe('a token', () => {
  const authorizations = () => requests.map(({ headers }) => headers.get('Authorization'));

  test('is shown with every request, beside other headers', async () => {
    using known = connectHttp<Target>(server.url, { token: 'secret', headers: { 'X-Own': 'yes' } });
    await known.run('a');
    await known.run('b');
    expect(authorizations()).toEqual(['Bearer secret', 'Bearer secret']);
    expect(requests.map(({ headers }) => headers.get('X-Own'))).toEqual(['yes', 'yes']);
  });

  test('that is asked for is asked for anew for each request', async () => {
    let count = 0;
    using known = connectHttp<Target>(server.url, { token: async () => `token ${++count}` });
    await known.run('a');
    await known.run('b');
    expect(authorizations()).toEqual(['Bearer token 1', 'Bearer token 2']);
  });

  const refuseExpired: HttpHandler = async () =>
    new Response('EXPIRED: connect with a new token', { status: 401, headers: { 'Content-Type': REFUSAL_TYPE } });

  test('that has expired is asked for once more, where a function gives it', async () => {
    let count = 0;
    using known = connectHttp<Target>(server.url, { token: () => `token ${++count}` });
    handlers.push(refuseExpired);
    expect(await known.run('a')).toBe('a');
    expect([authorizations(), ran]).toEqual([['Bearer token 1', 'Bearer token 2'], ['a']]);

    handlers.push(refuseExpired, refuseExpired);
    await expect(known.run('b')).rejects.toMatchObject({ code: 'EXPIRED', retryable: false });
    expect([count, ran]).toEqual([4, ['a']]);
  });

  test('that has expired is not sent again, where it is a text', async () => {
    using known = connectHttp<Target>(server.url, { token: 'secret' });
    handlers.push(refuseExpired);
    await expect(known.run('a')).rejects.toMatchObject({ code: 'EXPIRED', retryable: false });
    expect([requests.length, ran]).toEqual([1, []]);
  });

  test('that is null or undefined is none', async () => {
    for (const token of [null, undefined, () => null, async () => undefined]) {
      using known = connectHttp<Target>(server.url, { token: token as string | undefined });
      await known.run('a');
    }
    expect(authorizations()).toEqual([null, null, null, null]);
  });

  test('that is refused for good keeps calls from being sent, and their errors say so', async () => {
    const token = () => Promise.reject(new RpcError('DENIED', 'log in'));
    using known = connectHttp<Target>(server.url, { token });
    await expect(known.run('a')).rejects.toMatchObject({
      code: 'DENIED',
      retryable: false,
      message: expect.stringContaining('log in'),
    });
    expect(requests.length).toBe(0);
  });

  test.each([
    ['a token with spaces', 'Bearer a token with spaces'],
    ['ключ', 'Bearer lumenize.token.0LrQu9GO0Yc'],
    // A header would lose them, or be read as another token.
    [' a', 'Bearer lumenize.token.IGE'],
    ['a\n', 'Bearer lumenize.token.YQo'],
    ['lumenize.token.YQ', 'Bearer lumenize.token.bHVtZW5pemUudG9rZW4uWVE'],
  ])('%j is sent as %s', async (token, sent) => {
    using known = connectHttp<Target>(server.url, { token });
    expect(await known.run('a')).toBe('a');
    expect(authorizations()).toEqual([sent]);
  });

  test.each([
    ['is no text', () => 5 as never],
    ['is too long', () => 'x'.repeat(8193)],
    ['cannot be made', () => Promise.reject(new Error('no token'))],
    ['is no text', () => 5 as never],
  ])('that %s keeps calls from being sent, and the next call asks again', async (_how, failing) => {
    const tokens = [failing, () => 'secret'];
    using known = connectHttp<Target>(server.url, { token: () => tokens.shift()!() });
    await expect(known.run('a')).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
    expect(requests.length).toBe(0);
    expect(await known.run('b')).toBe('b');
  });
});

describe('what waits for a request', () => {
  /** Serves callers by their tokens, and lets the first request wait for a gate. */
  async function waiting(tokens: string[], after: (stub: Stub<Target>) => unknown): Promise<unknown> {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const known: HttpHandler = async (request) => {
      const identity = { name: request.headers.get('Authorization') };
      await gate;
      return serveRpc(request as never, new Target(), { identity }) as never;
    };
    handlers.push(known, known, known);
    using stub = connectHttp<Target>(server.url, { token: () => tokens.shift() });
    const first = stub.run('first');
    await until(() => requests.length === 1);
    const second = Promise.resolve(after(stub)).catch((error) => error);
    await until(() => connection(stub).statistics.framesSent === 2);
    open();
    expect(await first).toBe('first');
    const outcome = await second;
    expect(await stub.run('third')).toBe('third');
    return outcome;
  }

  test('runs for the caller of that', async () => {
    expect(await waiting(['ada', 'ada', 'ada'], (stub) => stub.run('second'))).toBe('second');
    expect(ran).toEqual(['first', 'second', 'third']);
  });

  test('runs for no other caller', async () => {
    expect(await waiting(['ada', 'bob', 'bob'], (stub) => stub.run('second'))).toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('the caller is another one'),
    });
    expect(ran).toEqual(['first', 'third']);
  });

  test('does not run any more once the connection was closed', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    handlers.push(async (request) => {
      await gate;
      return serve(request);
    });
    const closing = connectHttp<Target>(server.url);
    const calls = [closing.run('first')];
    await until(() => requests.length === 1);
    calls.push(closing.run('second'));
    await until(() => connection(closing).statistics.framesSent === 2);
    connection(closing).close();
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    open();
    await until(() => ran.length > 0);
    expect(await stub.run('third')).toBe('third');
    expect(ran).toEqual(['first', 'third']);
  });
});

describe('over HTTP', () => {
  test.each([
    ['a function', () => {}],
    ['a target', new Target()],
    ['a stream', new ReadableStream()],
    ['a signal', new AbortController().signal],
    ['an async iterable', (async function* () {})()],
  ])('%s cannot be passed', async (_what, value) => {
    await expect(stub.run(value as never)).rejects.toMatchObject({
      code: 'NOT_CLONEABLE',
      message: expect.stringContaining('cannot be passed over HTTP'),
    });
    expect(requests.length).toBe(0);
  });

  test('a target cannot be a result, and can be called within the request', async () => {
    await expect(stub.itself()).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
    expect(await stub.itself().run('a')).toBe('a');
  });

  test('a result inside of a chain is gone with its request', async () => {
    const itself = stub.itself();
    expect(await itself.run('a')).toBe('a');
    await expect(itself.run('b')).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    expect(ran).toEqual(['a']);
  });

  test('a stub of a restorable method outlives the request', async () => {
    const room = await stub.room('a');
    expect(await room.run('b')).toBe('b');
    expect(requests.length).toBe(2);
  });
});

describe('a batch', () => {
  test.each<[string, Message[]]>([
    ['texts', ['[1,["a"]]', '{"cancel":[1,"CANCELLED"]}', '[2,["é\u2028"]]']],
    ['nothing', []],
    ['bytes', [bytes('[1,["size",[{"$":1}]]]', 3), '[2,["a"]]', bytes('[3,["b"]]', 0), bytes('[4]', 70_000)]],
  ])('of %s is read as it was written', (_what, messages) => {
    const body = writeBatch(messages);
    const read = [...readBatch(typeof body === 'string' ? new TextEncoder().encode(body) : body)];
    expect(read).toEqual(messages);
  });

  test('of texts is their lines', () => {
    expect(writeBatch(['[1,["a"]]', '[2,["b"]]'])).toBe('[1,["a"]]\n[2,["b"]]');
  });
});

/** A message of a text and some bytes. */
function bytes(text: string, length: number): Message {
  return toMessage(text, [new Uint8Array(length).fill(7)]);
}

describe('a URL', () => {
  test('of a socket is taken for that of its batches', async () => {
    using other = connectHttp<Target>(server.url.replace('http', 'ws'));
    expect(await other.run('a')).toBe('a');
  });

  test.each(['', 'not a url', 'ftp://example.com/'])('%j is refused with an example of one', (url) => {
    expect(() => connectHttp(url)).toThrow('a URL like http://localhost:8787/rpc/<binding>/<instance>');
  });
});

function answer(frames: Message[]): Response {
  return new Response(writeBatch(frames), { headers: { 'Content-Type': BATCH_TYPE } });
}

/** Answers all but the last byte. */
async function cutShort(request: Request): Promise<Response> {
  const response = (await serve(request))!;
  return new Response((await response.arrayBuffer()).slice(0, -1), { headers: response.headers });
}

/** Resolves when a condition holds that no event tells of. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve));
}

test.each([
  [20_000, false],
  [20_001, true],
])('a batch with %d signals that were aborted before is refused: %j', async (count, isRefused) => {
  const signals = Array.from({ length: count }, () => ({ $signal: [0] }));
  const body = JSON.stringify([1, ['run', { $: [signals] }]]);
  const response = await fetch(server.url, { method: 'POST', headers: { 'Content-Type': BATCH_TYPE }, body });
  expect((await response.text()).includes('maxReferences of 20000 exceeded')).toBe(isRefused);
  expect(ran).toHaveLength(isRefused ? 0 : 1);
});
