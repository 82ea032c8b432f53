import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { serveWs } from '../../support/serve-ws.ts';
import { serveWorker } from '../../support/workerd.ts';

/** A frame with bits that no extension has agreed on: workerd then reports an error, and no close. */
const MALFORMED = Buffer.from([0xf1, 0]);

test('a Worker notices at once that its socket has failed, also without heartbeats', async () => {
  await using worker = await serveWorker({
    main: fileURLToPath(new URL('../client-worker.ts', import.meta.url).href),
    compatibilityDate: '2026-10-15',
    objects: {},
    isLocal: true,
  });
  await using server = await serveWs((socket) => {
    const { _socket: raw } = socket as unknown as { _socket: { write(bytes: Buffer): void } };
    socket.on('message', () => raw.write(MALFORMED));
  });
  const answer = await fetch(`${worker.url('/').replace('ws:', 'http:')}?${encodeURIComponent(server.url)}`);
  expect(await answer.text()).toBe('OUTCOME_UNKNOWN');
});
