import { fetchDescription } from '@lumenize/inspect';
import { connect } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { describe, expect, test } from 'vitest';
import { sharedWorker } from '../../support/shared-worker.ts';

const worker = await sharedWorker();

interface Api {
  whoAmI(): Promise<{ identity: { name: string } }>;
}

let instances = 0;
const newUrl = () => worker.url(`/with-token/access/tokens-${++instances}`);

/** A token that the Worker believes, with as many characters as are asked for. */
function tokenFor(name: string, length = 0, filler = 'x'): string {
  const token = (pad: string) => `${JSON.stringify({ name, pad })}.signed`;
  return token(filler.repeat(Math.max(length - token('').length, 0)));
}

const ways: readonly [way: string, name: (token: string) => Promise<unknown>][] = [
  [
    'a socket',
    async (token) => {
      using stub = connect<Api>(newUrl(), { token, reconnect: false });
      return (await stub.whoAmI()).identity.name;
    },
  ],
  [
    'HTTP',
    async (token) => {
      using stub = connectHttp<Api>(newUrl().replace('ws', 'http'), { token });
      return (await stub.whoAmI()).identity.name;
    },
  ],
];

describe.each(ways)('a token over %s', (_way, nameOf) => {
  test.each(['Ada', 'Ada and Bob', 'Zoë', '€', '✓ 🦄', 'línea\n'])('arrives as it is: %j', async (name) => {
    expect(await nameOf(tokenFor(name))).toBe(name);
  });

  test.each(['x', '€'])('may have 8192 characters, such as %s', async (filler) => {
    expect(await nameOf(tokenFor('Ada', 8192, filler))).toBe('Ada');
  });
});

test('a token for a description arrives as it is', async () => {
  const shown = { token: tokenFor('€'), fetch: (url: string, init?: RequestInit) => fetch(url, init) };
  // This object is not discoverable, which is told to those who may call it only.
  expect(await fetchDescription(newUrl(), shown)).toBeUndefined();
  await expect(fetchDescription(newUrl(), { token: '€' })).rejects.toMatchObject({ code: 'DENIED' });
});

describe('a token of 8193 characters is refused, and the limit is told, by', () => {
  const why = 'LIMIT_EXCEEDED: a token has at most 8192 characters';
  const token = tokenFor('Ada', 8193);

  // By hand, since the client of this library refuses it, too.
  test('an upgrade', async () => {
    const shown = `lumenize.token.${Buffer.from(token).toString('base64url')}`;
    const socket = new WebSocket(newUrl(), ['lumenize.rpc.2', 'lumenize.rpc.refused', shown]);
    const { code, reason } = await new Promise<CloseEvent>((resolve) => {
      socket.addEventListener('close', resolve, { once: true });
    });
    expect([code, reason]).toEqual([4400, why]);
  });

  test.each([
    ['a batch', { method: 'POST', headers: { 'Content-Type': 'application/x-lumenize-rpc; version=2' } }],
    ['a question for a description', { headers: { Accept: 'application/x-lumenize-rpc-description+json' } }],
  ])('%s', async (_what, init) => {
    const headers = { ...init.headers, Authorization: `Bearer ${token}` };
    const response = await fetch(newUrl().replace('ws', 'http'), { ...init, headers });
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining(why.slice(16))]);
  });
});
