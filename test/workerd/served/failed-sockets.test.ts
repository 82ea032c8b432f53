import { fileURLToPath } from 'node:url';
import { connectSocket } from '@lumenize/rpc/socket';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serveWs } from '../../support/serve-ws.ts';
import { type ServedWorker, serveWorker } from '../../support/workerd.ts';

/** Sends bits that no extension has agreed on: workerd then reports an error, and no close. */
function sendMalformed(socket: WebSocket): void {
  const { _socket: raw } = socket as unknown as { _socket: { write(bytes: Buffer): void } };
  raw.write(Buffer.from([0xf1, 0]));
}

let worker: ServedWorker;

beforeAll(async () => {
  worker = await serveWorker({
    main: fileURLToPath(new URL('../sockets-worker.ts', import.meta.url).href),
    compatibilityDate: '2026-10-15',
    objects: {},
    isLocal: true,
  });
});
afterAll(() => worker[Symbol.asyncDispose]());

const get = async (path: string) => (await fetch(worker.url(path).replace('ws:', 'http:'))).text();

test('a Worker notices at once that its socket has failed, also without heartbeats', async () => {
  await using server = await serveWs((socket) => socket.on('message', () => sendMalformed(socket)));
  expect(await get(`/?${encodeURIComponent(server.url)}`)).toBe('OUTCOME_UNKNOWN');
});

test('a Worker ends the calls of a client whose socket has failed', async () => {
  const sockets: WebSocket[] = [];
  using stub = connectSocket(
    (protocols) => {
      sockets.push(new WebSocket(worker.url('/serve'), protocols));
      return sockets.at(-1) as never;
    },
    { reconnect: false },
  );
  const lost = stub.wait().catch((error: { code?: string }) => error.code);
  await expect.poll(() => sockets[0]?.readyState).toBe(WebSocket.OPEN);
  sendMalformed(sockets[0]);
  expect(await lost).toBe('OUTCOME_UNKNOWN');
  await expect.poll(() => get('/aborted')).toBe('1');
});
