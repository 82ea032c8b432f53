import { describeTarget, fetchDescription, type TargetDescription } from '@lumenize/inspect';
import { RpcTarget } from '@lumenize/rpc';
import { serveRpc } from '@lumenize/rpc/server';
import { expect, test } from 'vitest';

class Base extends RpcTarget {
  static readonly rpc: object = { shared: { idempotent: true }, hidden: { guard: () => true } };
  shared(): void {}
  hidden(): void {}
  replaced(): void {}
}

class Described extends Base {
  static override readonly rpc = { increment: { exactlyOnce: true, guard: undefined }, shared: { guard: () => true } };
  override replaced = () => {};

  increment(): void {}
  get value(): number {
    return 1;
  }
  set written(_value: number) {}
  get rpcDescription(): TargetDescription {
    return describeTarget(this);
  }
  toJSON(): void {}
}
Object.defineProperty(Described.prototype, 'hidden', { value: 1 });

const URL_OF_IT = 'ws://it.test/rpc/it/main';

/** A server in this process, which answers requests for a target. */
const serving = (target: RpcTarget) => (url: string, init: RequestInit) => serveRpc(new Request(url, init), target);

test('has the members that can be reached, with what their classes declare', async () => {
  const described = {
    name: 'Described',
    members: [
      { name: 'increment', kind: 'method', options: ['exactlyOnce'] },
      { name: 'shared', kind: 'method', options: ['guard', 'idempotent'] },
      { name: 'value', kind: 'getter', options: [] },
    ],
  };
  const { name, members } = describeTarget(new Described());
  const sorted = members.map((member) => ({ ...member, options: member.options.toSorted() }));
  expect({ name, members: sorted }).toEqual(described);
  expect(await fetchDescription(URL_OF_IT, { fetch: serving(new Described()) })).toEqual({ name, members });
});

test('is undefined where a target does not describe itself', async () => {
  expect(await fetchDescription(URL_OF_IT, { fetch: serving(new Base()) })).toBeUndefined();
});

const member = { name: 'increment', kind: 'method', options: ['exactlyOnce'] };

test.each([
  ['null', null],
  ['no list of members', { name: 'Counter', members: {} }],
  ['a member without a name', { name: 'Counter', members: [{ ...member, name: 1 }] }],
  ['a member of an unknown kind', { name: 'Counter', members: [{ ...member, kind: 'field' }] }],
  ['a member that is nothing', { name: 'Counter', members: [null] }],
  ['options that are no text', { name: 'Counter', members: [{ ...member, options: [{}] }] }],
])('refuses %s', async (_name, description) => {
  class Odd extends RpcTarget {
    get rpcDescription(): unknown {
      return description;
    }
  }
  await expect(fetchDescription(URL_OF_IT, { fetch: serving(new Odd()) })).rejects.toMatchObject({
    code: 'MALFORMED_FRAME',
  });
});

test.each([
  [401, 'DENIED'],
  [403, 'DENIED'],
  [404, 'NOT_FOUND'],
  [500, 'NOT_EXECUTED'],
])('says what status %i means', async (status, code) => {
  const fetch = async () => new Response('why', { status });
  await expect(fetchDescription(URL_OF_IT, { fetch })).rejects.toMatchObject({
    code,
    message: expect.stringContaining('why'),
  });
});

test('says what the status means also where the rest of the answer is lost', async () => {
  const fetch = async () => {
    const lost = new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) });
    return new Response(lost, { status: 403 });
  };
  await expect(fetchDescription(URL_OF_IT, { fetch })).rejects.toMatchObject({
    code: 'DENIED',
    message: expect.stringContaining('terminated'),
  });
});

test('shows the token', async () => {
  let shown: string | null = null;
  const fetch = (url: string, init: RequestInit) => {
    shown = new Headers(init.headers).get('Authorization');
    return serving(new Described())(url, init);
  };
  await fetchDescription(URL_OF_IT, { token: 'secret', fetch });
  expect(shown).toBe('Bearer secret');
});
