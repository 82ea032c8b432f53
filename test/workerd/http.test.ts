import { SELF } from 'cloudflare:test';
import { connectHttp } from '@lumenize/rpc/http';
import { describe, expect, test } from 'vitest';
import { BATCH_TYPE, readBatch, writeBatch } from '../../packages/rpc/src/transport/batch.ts';
import { contract } from '../contract/contract.ts';
import type { ContractTarget } from '../contract/contract-target.ts';
import { STATELESS } from '../contract/stateless.ts';
import { connectToSelf } from './self-transport.ts';

const options = { fetch: (url: string, init: RequestInit) => SELF.fetch(url, init) };
let instance = 0;

contract(
  'HTTP',
  (more) =>
    connectHttp<ContractTarget>(`http://worker.test/rpc/contract/http-${++instance}`, {
      ...options,
      ...(more as object),
    }),
  { lacks: STATELESS },
);
contract(
  'HTTP to a plain Worker',
  (more) => connectHttp<ContractTarget>('http://worker.test/plain', { ...options, ...(more as object) }),
  { lacks: STATELESS },
);
contract('a socket to a plain Worker', (more) => connectToSelf<ContractTarget>('/plain', more));

/** Posts what is given, as a client that is not ours might. */
async function post(path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return SELF.fetch(`http://worker.test${path}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': BATCH_TYPE, ...headers },
  });
}

const ADD = '[1,["add",[]]]';
const answersOf = async (response: Response) => [...readBatch(new Uint8Array(await response.arrayBuffer()))];
const closed = (code: number, reason: RegExp) => [code, expect.stringMatching(reason)];

describe('a batch', () => {
  test.each([
    ['3', 200],
    ['3 ', 200],
    ['2', 426],
    ['99', 426],
  ])('of version %j is answered with %i', async (version, status) => {
    const type = BATCH_TYPE.replace('=3', `=${version}`);
    const response = await post('/rpc/contract/http', ADD, { 'Content-Type': type });
    expect(response.status).toBe(status);
    const text = await response.text();
    if (status !== 200) expect(text).toMatch(/^VERSION_MISMATCH: .*version 3/);
  });

  test('of another content type is told which one to use', async () => {
    for (const path of ['/rpc/contract/http', '/plain']) {
      const response = await post(path, '{}', { 'Content-Type': 'application/json' });
      expect([response.status, await response.text()]).toEqual([415, expect.stringContaining(BATCH_TYPE)]);
    }
  });

  test.each([
    ['with a Content-Length', () => new Uint8Array(33_554_449)],
    ['without one', () => new Blob([new Uint8Array(33_554_449)]).stream()],
  ])('that is too large is refused, %s', async (_how, body) => {
    const response = await post('/rpc/contract/http', body());
    expect([response.status, await response.text()]).toEqual([413, 'TOO_LARGE: maxMessageBytes of 33554432 exceeded']);
  });

  test.each([
    ['is cut short', new Uint8Array([0, 0, 0, 90, 91])],
    ['is no text', new Uint8Array([91, 255])],
    ['has bytes that are not there', new Uint8Array([0, 0, 0, 3, 51, 91, 93])],
  ])('that %s is refused or closed, and runs nothing', async (_how, body) => {
    const response = await post('/rpc/contract/http', body);
    const text = await response.text();
    expect([response.status, text]).toEqual(
      response.status === 400
        ? [400, expect.stringMatching(/^MALFORMED_FRAME: /)]
        : [200, expect.stringMatching(/^\{"close":\[1007,"MALFORMED_FRAME: /)],
    );
  });

  test.each([
    ['hello'],
    ['{}'],
    ['[]'],
    ['[1,-5]'],
    ['[1,["add",[]],5]'],
    ['5[1]'],
    ['\n'.repeat(1000)],
    ['{"as":"x"}\n[1'],
  ])('of %j does not answer as if it had run', async (body) => {
    const text = await (await post('/plain', body)).text();
    expect(text).toMatch(/^(\{"close":\[1007,"MALFORMED_FRAME: |(MALFORMED_FRAME|NOT_EXECUTED): )/);
  });

  test('is answered as far as it could be read', async () => {
    const response = await post('/plain', `${ADD}\nhello\n[2,["add",[]]]`);
    expect(response.status).toBe(200);
    // The result of the first call, and then a close: what came after it did not run.
    const [first, close] = await answersOf(response);
    expect(first).toBe('[-1,1]');
    expect(JSON.parse(close as string)).toEqual({ close: closed(1007, /^MALFORMED_FRAME: /) });
  });

  test('is answered no further where its answers come to more than a message may', async () => {
    const text = 'x'.repeat(1_000_000);
    const reads = Array.from({ length: 60 }, (_, place) => `[${place + 2},[[1,0],"text"]]`);
    const response = await post('/plain', [`[1,["echo",[{"text":"${text}"}],"text"]]`, ...reads].join('\n'));
    const answers = await answersOf(response);
    expect(JSON.parse(answers.pop() as string)).toEqual({ close: closed(1013, /^OVERLOADED: /) });
    expect(answers.reduce((size, { length }) => size + length, 0)).toBeLessThan(35_000_000);
  });

  test('of a million lines costs what its bytes do', async () => {
    const response = await post('/plain', '[1]\n'.repeat(1_000_000));
    expect((await response.text()).length).toBeLessThan(1000);
  });

  test('shares the state of its object with sockets', async () => {
    interface Told {
      connected(): string[];
    }
    using socket = connectToSelf<Told & Disposable>('/guarded/guarded/shared?user=ada');
    expect(await socket.connected()).toEqual(['+ada']);
    const posted = connectHttp<Told>('http://worker.test/guarded/guarded/shared?user=bob', options);
    expect(await posted.connected()).toEqual(['+ada']);
  });
});

test('a subscription needs a connection that lasts', async () => {
  interface News {
    subscribe(): Promise<unknown>;
    publish(event: unknown): Promise<number>;
  }
  const news = connectHttp('http://worker.test/rpc/news/http', options) as never as News;
  await expect(news.subscribe()).rejects.toMatchObject({
    code: 'NOT_CLONEABLE',
    message: expect.stringContaining('a connection to its object that lasts'),
  });
  expect(await news.publish('event')).toBe(1);
});

describe('access by HTTP', () => {
  const guarded = (user: string) =>
    connectHttp<{ whoAmI(): unknown }>(`http://worker.test/guarded/guarded/one${user}`, options);

  test('gives the target what the Worker says of the caller', async () => {
    expect(await guarded('?user=ada').whoAmI()).toEqual({ user: 'ada', since: new Date(0) });
  });

  test.each([
    ['nobody', '', 'DENIED', 'authentication failed'],
    ['who may not use the object', '?user=mallory', 'DENIED', 'mallory may not use this object'],
    ['who breaks it', '?user=broken', 'NOT_EXECUTED', 'target() failed: a defect of the class'],
  ])('is refused to %s', async (_who, user, code, message) => {
    await expect(guarded(user).whoAmI()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('and by a socket to a plain Worker is for the identity that it gives', async () => {
    using socket = connectToSelf<{ whoAmI(): unknown } & Disposable>('/known?user=ada');
    expect(await socket.whoAmI()).toEqual({ user: 'ada', since: new Date(0) });
    const posted = connectHttp<{ whoAmI(): unknown }>('http://worker.test/known?user=bob', options);
    expect(await posted.whoAmI()).toEqual({ user: 'bob', since: new Date(0) });
  });
});

describe('pages of other origins', () => {
  test('may POST where the origin is allowed', async () => {
    const asking = await SELF.fetch('http://worker.test/plain', {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'POST' },
    });
    expect([asking.status, asking.headers.get('Access-Control-Allow-Origin')]).toEqual([204, 'https://app.test']);
    const response = await post('/plain', ADD, { Origin: 'https://app.test' });
    expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([200, 'https://app.test']);
    expect(await answersOf(response)).toEqual(['[-1,1]']);
  });

  test('are refused otherwise, and cannot read why', async () => {
    for (const method of ['OPTIONS', 'POST']) {
      const response = await SELF.fetch('http://worker.test/plain', {
        method,
        headers: { Origin: 'https://evil.test', 'Access-Control-Request-Method': 'POST', 'Content-Type': BATCH_TYPE },
      });
      expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([403, null]);
      await response.text();
    }
  });
});

test('a visit is told what to use', async () => {
  for (const path of ['/plain', '/rpc/contract/visited']) {
    const response = await SELF.fetch(`http://worker.test${path}`);
    expect([response.status, await response.text()]).toEqual([426, expect.stringContaining('connect()')]);
  }
});

test('bytes travel as bytes in both directions', async () => {
  const target = connectHttp<ContractTarget>('http://worker.test/plain', options);
  const bytes = new Uint8Array(100_000).fill(7);
  const [first, second] = await Promise.all([target.echo(bytes), target.echo({ bytes })]);
  expect(first).toEqual(bytes);
  expect(second).toEqual({ bytes });
  expect(typeof writeBatch(['[1]'])).toBe('string');
});
