import { SELF } from 'cloudflare:test';
import { connectHttp } from '@lumenize/rpc/http';
import { describe, expect, test } from 'vitest';
import type { CounterApi } from '../../examples/counter/src/counter-api.ts';
import { readBatch, writeBatch } from '../../packages/rpc/src/protocol/http.ts';
import { sequence } from '../../packages/rpc/test/support/frames.ts';
import { contract } from '../contract/contract.ts';
import type { ContractTarget } from '../contract/contract-target.ts';
import { STATELESS } from '../contract/stateless.ts';
import { connectToSelf } from './self-transport.ts';

const TYPE = 'application/x-lumenize-rpc; version=2';
const options = { fetch: (url: string, init: RequestInit) => SELF.fetch(url, init) };
let instance = 0;

contract(
  'HTTP',
  (more) => connectHttp<ContractTarget>(`http://worker.test/rpc/contract/http-${++instance}`, { ...options, ...more }),
  {
    lacks: STATELESS,
  },
);
contract(
  'HTTP to a plain Worker',
  (more) => connectHttp<ContractTarget>('http://worker.test/plain', { ...options, ...more }),
  {
    lacks: STATELESS,
  },
);
contract('a socket to a plain Worker', (more) => connectToSelf<ContractTarget>('/plain', more));

/** Posts what is given, as a client that is not ours might. */
async function post(path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return SELF.fetch(`http://worker.test${path}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': TYPE, ...headers },
  });
}

/** A frame of entries, with its length before it. */
function frame(...values: unknown[]): Uint8Array<ArrayBuffer> {
  return writeBatch({ frames: [sequence(...values)] });
}

const ONE_CALL = frame(1, [0, 'increment', []]);

describe('a batch', () => {
  test('is refused in a version that is not spoken here', async () => {
    const response = await post('/rpc/counter/http', ONE_CALL, { 'Content-Type': TYPE.replace('=2', '=99') });
    expect([response.status, response.headers.get('Content-Type')]).toEqual([426, 'text/x-lumenize-rpc']);
    expect(await response.text()).toMatch(
      /^VERSION_MISMATCH: .*version 2 .*: reload the page, or update the older side$/,
    );
  });

  test('of another content type is told which one to use', async () => {
    for (const path of ['/rpc/counter/http', '/plain']) {
      const response = await post(path, '{}', { 'Content-Type': 'application/json' });
      expect([response.status, await response.text()]).toEqual([415, expect.stringContaining(TYPE)]);
    }
  });

  test.each([
    ['with a Content-Length', () => new Uint8Array(33_554_437)],
    ['without one', () => new Blob([new Uint8Array(33_554_437)]).stream()],
  ])('that is too large is refused, %s', async (_how, body) => {
    const response = await post('/rpc/counter/http', body());
    expect([response.status, await response.text()]).toEqual([413, 'TOO_LARGE: maxMessageBytes of 33554432 exceeded']);
  });

  test.each([
    ['is cut short', ONE_CALL.slice(0, -1)],
    ['is cut in a length', ONE_CALL.slice(0, 3)],
    ['holds no frame', frame('hello')],
    ['ends with neither frame nor close', new Uint8Array([0, 0, 0, 0, 65])],
  ])('that %s is refused', async (_how, body) => {
    const response = await post('/rpc/counter/http', body);
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/^MALFORMED_FRAME: /)]);
  });

  test('is answered as far as it could be read', async () => {
    const body = new Blob([ONE_CALL, frame('hello'), ONE_CALL]);
    const response = await post('/rpc/counter/http-half', await body.arrayBuffer());
    expect(response.status).toBe(200);
    // The result of the first call, and then a close: what came after it did not run.
    expect(readBatch(new Uint8Array(await response.arrayBuffer()))).toEqual({
      frames: ['[1,[1]]'],
      close: { code: 1007, reason: expect.stringMatching(/^MALFORMED_FRAME: /) },
    });
    using counter = connectToSelf<CounterApi>('/rpc/counter/http-half');
    expect(await counter.getValue()).toBe(1);
  });

  test('is answered no further where its answers come to more than may wait for a client', async () => {
    const text = 'x'.repeat(1_000_000);
    const reads = Array.from({ length: 60 }, (_, place) => [place + 1, 'text']);
    const response = await post('/plain', frame(1, [0, 'echo', [{ text }]], ...reads));
    const { frames, close } = readBatch(new Uint8Array(await response.arrayBuffer()));
    expect([response.status, close]).toEqual([200, { code: 1013, reason: expect.stringMatching(/^OVERLOADED: /) }]);
    expect(frames.reduce((size, { length }) => size + length, 0)).toBeLessThan(35_000_000);
  });

  test('that ends between the parts of a frame is refused, for none comes in parts', async () => {
    const part = frame(-2, 2, new Uint8Array([1, 2, 3]));
    const response = await post('/rpc/counter/http-parts', part);
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/^MALFORMED_FRAME: .* part/)]);
    const body = new Blob([ONE_CALL, part, ONE_CALL]);
    const answered = await post('/rpc/counter/http-parts', await body.arrayBuffer());
    expect(new TextDecoder().decode(await answered.arrayBuffer())).toContain('1007 MALFORMED_FRAME: ');
    using counter = connectToSelf<CounterApi>('/rpc/counter/http-parts');
    expect(await counter.getValue()).toBe(1);
  });

  test('shares the state of its object with sockets', async () => {
    using counter = connectToSelf<CounterApi>('/rpc/counter/http-and-socket');
    using posted = connectHttp<CounterApi>('http://worker.test/rpc/counter/http-and-socket', options);
    expect(await counter.increment()).toBe(1);
    expect(await posted.increment()).toBe(2);
    expect(await counter.getValue()).toBe(2);
  });

  test('to a URL that names no binding is told what to write', async () => {
    using counter = connectHttp<CounterApi>('http://worker.test/rpc/cuonter/main', options);
    await expect(counter.increment()).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('no Durable Object is bound as "cuonter"'),
    });
  });
});

describe('access by HTTP', () => {
  const guarded = (user: string) =>
    connectHttp<{ whoAmI(): unknown }>(`http://worker.test/guarded/guarded/one${user}`, options);

  test('gives each caller a target made for its identity', async () => {
    using ada = guarded('?user=ada');
    expect(await ada.whoAmI()).toEqual({ user: 'ada', since: new Date(0) });
  });

  test.each([
    ['nobody', '', 'DENIED', 'authentication failed'],
    ['whom a look-up did not find', '?user=null', 'DENIED', 'authentication failed'],
    ['whom a comparison turned down', '?user=false', 'DENIED', 'authentication failed'],
    ['someone for whom there is no target', '?user=mallory', 'DENIED', 'mallory may not use this object'],
    ['someone whose target cannot be made', '?user=broken', 'INTERNAL', 'target() failed: a defect of the class'],
    ['someone who is answered otherwise', '?user=redirected', 'DENIED', 'answered 401: log in first'],
  ])('is refused to %s', async (_who, user, code, message) => {
    using stub = guarded(user);
    await expect(stub.whoAmI()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

describe.each([['/guarded/guarded/one?user=ada'], ['/plain']])('pages of other origins, at %s', (path) => {
  test('may POST where the origin is allowed', async () => {
    const asking = await SELF.fetch(`http://worker.test${path}`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.test',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });
    expect([asking.status, Object.fromEntries(asking.headers)]).toEqual([
      204,
      {
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': 'authorization,content-type',
        'access-control-allow-methods': 'POST',
        'access-control-allow-origin': 'https://app.test',
        'access-control-max-age': '7200',
        vary: 'Origin',
      },
    ]);
    const response = await post(path, frame(1, [0, 'nothing', []]), { Origin: 'https://app.test' });
    expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([200, 'https://app.test']);
    await response.arrayBuffer();
  });

  test('are refused otherwise, and cannot read why', async () => {
    for (const method of ['OPTIONS', 'POST']) {
      const response = await SELF.fetch(`http://worker.test${path}`, {
        method,
        headers: { Origin: 'https://evil.test', 'Access-Control-Request-Method': 'POST', 'Content-Type': TYPE },
      });
      expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([403, null]);
      await response.text();
    }
  });
});

test.each([
  ['/guarded/guarded/one', 403, 'DENIED: authentication failed: no token was given'],
  ['/guarded/guarded', 404, 'NOT_FOUND: an instance is missing: write /guarded/guarded/<name>'],
  ['/guarded/guarded/one/two', 404, 'NOT_FOUND: the URL should be /guarded/<binding>/<instance>'],
])('a refusal can be read by a page of an allowed origin: that of %s', async (path, status, text) => {
  const response = await post(path, ONE_CALL, { Origin: 'https://app.test' });
  expect([response.status, response.headers.get('Access-Control-Allow-Origin'), await response.text()]).toEqual([
    status,
    'https://app.test',
    expect.stringContaining(text),
  ]);
});

test('a visit to a plain Worker is told what to use', async () => {
  const response = await SELF.fetch('http://worker.test/plain');
  expect([response.status, await response.text()]).toEqual([426, expect.stringContaining('connect()')]);
});
