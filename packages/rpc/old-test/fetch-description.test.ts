import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchDescription } from '@lumenize/rpc/inspect';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESCRIPTION_TYPE } from '../src/protocol/http.ts';

let server: Server;
let url: string;
let answer: { status: number; type: string; body: string };

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/rpc/counter/main`;
});
afterAll(() => server.close());

function asked(body: unknown, status = 200, type = DESCRIPTION_TYPE) {
  answer = { status, type, body: typeof body === 'string' ? body : JSON.stringify(body) };
  return fetchDescription(url);
}

const member = { name: 'increment', kind: 'method', options: ['exactlyOnce'] };

test('returns what the object declares, and nothing where it does not say', async () => {
  const description = { name: 'Counter', members: [member, { name: 'value', kind: 'getter', options: [] }] };
  expect(await asked(description)).toEqual(description);
  expect(await asked('hello', 200, 'text/plain')).toBeUndefined();
  expect(await asked('connect with a socket', 426, 'text/plain')).toBeUndefined();
});

test.each([
  ['no JSON', '{'],
  ['null', 'null'],
  ['no list of members', { name: 'Counter', members: {} }],
  ['a member without a name', { name: 'Counter', members: [{ ...member, name: 1 }] }],
  ['a member of an unknown kind', { name: 'Counter', members: [{ ...member, kind: 'field' }] }],
  ['a member of a kind that is no text', { name: 'Counter', members: [{ ...member, kind: { toString: 1 } }] }],
  ['a member that is nothing', { name: 'Counter', members: [null] }],
  ['options that are no text', { name: 'Counter', members: [{ ...member, options: [{}] }] }],
])('refuses %s', async (_name, body) => {
  await expect(asked(body)).rejects.toMatchObject({ code: 'MALFORMED_FRAME' });
});

test.each([
  [401, 'DENIED'],
  [403, 'DENIED'],
  [404, 'NOT_FOUND'],
  [500, 'NOT_EXECUTED'],
])('says what status %i means', async (status, code) => {
  await expect(asked('why', status, 'text/plain')).rejects.toMatchObject({
    code,
    message: expect.stringContaining('why'),
  });
});

test('says what the status means also where the rest of the answer is lost', async () => {
  const fetch = async () => {
    const lost = new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) });
    return new Response(lost, { status: 403 });
  };
  await expect(fetchDescription(url, { fetch })).rejects.toMatchObject({
    code: 'DENIED',
    message: expect.stringContaining('terminated'),
  });
});
