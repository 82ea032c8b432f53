import { setTimeout as delay } from 'node:timers/promises';
import { connect, connection, type Stub } from '@lumenize/rpc';
import { type PresenceTarget, presenceStore } from '@lumenize/state/presence';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../../packages/rpc/src/protocol.ts';
import { serveTestWorker } from '../../support/workerd.ts';

/** What is used here of `test/workerd/room-object.ts`. */
interface Api {
  readonly presence: PresenceTarget<{ name: string }>;
  births(): number;
}

/** How long a page that has vanished is shown at most, and how long this test waits for what else there is. */
const GONE_MS = 45_000;

test('a page that has vanished is gone within 45 s, while the object hibernates in between', {
  timeout: 120_000,
}, async () => {
  await using worker = await serveTestWorker();
  const stub: Stub<Api> = connect<Api>(worker.url('/rooms/room/vanished'));
  onTestFinished(() => connection(stub).close());
  const store = presenceStore(stub.presence);
  onTestFinished(store.subscribe(() => {}));
  // Another page joins, and is heard of no more: it sends no heartbeat, and closes nothing.
  const page = new WebSocket(worker.url('/rooms/room/vanished'), [SUBPROTOCOL]);
  onTestFinished(() => page.terminate());
  page.on('open', () => page.send('[1,["presence","join",[{"name":"ghost"}]]]'));
  await expect.poll(() => store.get().others.map(({ name }) => name)).toEqual(['ghost']);
  const began = performance.now();
  // Before anybody looks for it.
  await delay(14_000);
  expect(await stub.births()).toBe(2);
  await expect.poll(() => store.get().others, { timeout: GONE_MS, interval: 50 }).toEqual([]);
  expect(performance.now() - began).toBeLessThan(GONE_MS);
  expect(store.get().self).toBeDefined();
});
