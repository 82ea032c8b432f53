import { expect, test } from 'vitest';
import { answerAllowed } from '../src/server/origins.ts';

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

test.each<[listed: string, origin: string]>([
  ['https://app.test/', 'https://app.test'],
  ['HTTPS://App.Test', 'https://app.test'],
  ['https://app.test:443', 'https://app.test'],
  ['http://app.test:80/', 'http://app.test'],
  ['http://localhost:5173/', 'http://localhost:5173'],
  ['https://bücher.test', 'https://xn--bcher-kva.test'],
  ['http://[::1]:5173', 'http://[::1]:5173'],
  // Of pages that are part of an application.
  ['capacitor://localhost', 'capacitor://localhost'],
  ['chrome-extension://abcdef/', 'chrome-extension://abcdef'],
  // Of pages in a sandbox.
  ['null', 'null'],
])('%s in the list stands for the origin that browsers send as %s', async (listed, origin) => {
  const asked = new Request('https://rpc.test/rpc', { method: 'POST', headers: { Origin: origin } });
  const answer = await answerAllowed(asked, { allowedOrigins: [listed] }, 'routeRpc', () => new Response('done'));
  expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([200, origin]);
});

test.each([
  'https://app.test/login',
  'https://app.test?a',
  'https://app.test#a',
  'https://ada@app.test',
  'https://*.app.test',
  'wss://app.test',
  'app.test',
  'localhost:5173',
  'https://',
  '',
  undefined,
  /app/,
])('%s in the list throws, whoever asks, since it stands for no origin', async (listed) => {
  const options = { allowedOrigins: ['https://other.test', listed] as string[] };
  const why = `allowedOrigins of routeRpc has to be a list of origins, not https://other.test,${listed ?? ''}`;
  for (const headers of [{}, { Origin: 'https://other.test' }] as Record<string, string>[]) {
    const asked = new Request('https://rpc.test/rpc', { headers });
    const answer = answerAllowed(asked, options, 'routeRpc', () => new Response('done'));
    await expect(answer).rejects.toThrow(new TypeError(why));
  }
});

test('a text in place of a list of origins allows none of its parts', async () => {
  const asked = new Request('https://rpc.test/rpc', { headers: { Origin: 'https://app.example.co' } });
  const allowedOrigins = 'https://app.example.com' as unknown as string[];
  const answer = answerAllowed(asked, { allowedOrigins }, 'routeRpc', () => new Response('done'));
  await expect(answer).rejects.toThrow('allowedOrigins of routeRpc has to be a list of origins');
});
