import { expect, test } from 'vitest';
import { answerAllowed } from '../src/server/access/origins.ts';

test.each<[url: string, origin: string, isOwn: boolean]>([
  ['https://app.test/rpc', 'https://app.test', true],
  ['https://app.test:8443/rpc', 'https://app.test:8443', true],
  ['http://localhost:8787/rpc', 'http://localhost:8787', true],
  // Whoever sits between a page of http and its user writes that page.
  ['https://app.test/rpc', 'http://app.test', false],
  // A proxy in front has taken the encryption off.
  ['http://app.test/rpc', 'https://app.test', true],
  ['http://app.test:8787/rpc', 'https://app.test:8787', true],
  ['https://app.test/rpc', 'https://app.test:8443', false],
  ['http://app.test/rpc', 'https://app.test:8443', false],
  ['http://localhost:8787/rpc', 'http://localhost:5173', false],
  ['https://app.test/rpc', 'https://other.app.test', false],
  ['https://app.test/rpc', 'ftp://app.test', false],
  ['https://app.test/rpc', 'null', false],
])('of what a request to %s brings, a page of %s is one of its own: %s', async (url, origin, isOwn) => {
  const asked = new Request(url, { method: 'POST', headers: { Origin: origin } });
  const done = () => new Response('done');
  expect((await answerAllowed(asked, {}, 'routeRpc', done)).ok).toBe(isOwn);
  const { headers } = await answerAllowed(asked, { allowedOrigins: ['*'] }, 'routeRpc', done);
  expect(headers.get('Access-Control-Allow-Origin')).toBe(isOwn ? null : origin);
});

test('a text in place of a list of origins allows none of its parts', async () => {
  const asked = new Request('https://rpc.test/rpc', { headers: { Origin: 'https://app.example.co' } });
  const allowedOrigins = 'https://app.example.com' as unknown as string[];
  const answer = answerAllowed(asked, { allowedOrigins }, 'routeRpc', () => new Response('done'));
  await expect(answer).rejects.toThrow('allowedOrigins of routeRpc has to be a list of origins');
});
