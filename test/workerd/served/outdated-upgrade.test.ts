import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SharedWorker, sharedWorker } from '../../support/shared-worker.ts';

describe('an upgrade that was held up, or is sent a second time', () => {
  let worker: SharedWorker;

  beforeAll(async () => {
    worker = await sharedWorker();
  });

  test('is refused although it is the first of its client', async () => {
    const name = crypto.randomUUID().replaceAll('-', '');
    const connectAs = () =>
      new WebSocket(worker.url('/rpc/contract/first'), ['lumenize.rpc.3', `lumenize.client.${name}.1.1`]);
    const current = connectAs();
    await once(current, 'open');
    const [{ code }] = await once(connectAs(), 'close');
    expect([code, current.readyState]).toEqual([4400, WebSocket.OPEN]);
    current.close();
  });

  test.each(['contract', 'contract-accept'])('does not end the connection that %s has by now', async (binding) => {
    const name = crypto.randomUUID().replaceAll('-', '');
    const connectAs = (attempt: number) =>
      new WebSocket(worker.url(`/rpc/${binding}/outdated`), ['lumenize.rpc.3', `lumenize.client.${name}.${attempt}.1`]);

    const current = connectAs(2);
    await once(current, 'open');
    for (const attempt of [1, 2]) {
      const [{ code, reason }] = await once(connectAs(attempt), 'close');
      expect({ code, reason }).toEqual({ code: 4400, reason: expect.stringMatching(/^NOT_EXECUTED: /) });
    }
    expect(current.readyState).toBe(WebSocket.OPEN);

    const next = connectAs(3);
    await once(next, 'open');
    // Not its close: workerd may take its time to end what an object has closed out of turn.
    await expect.poll(() => current.readyState).not.toBe(WebSocket.OPEN);
    next.close();
  });

  test('is refused where the client has none, and what it brings would run again', async () => {
    const name = crypto.randomUUID().replaceAll('-', '');
    const connectAs = (attempt: number) => {
      const protocols = ['lumenize.rpc.3', `lumenize.client.${name}.${attempt}.1`];
      const socket = new WebSocket(worker.url('/rpc/delivery/outdated'), protocols);
      socket.binaryType = 'arraybuffer';
      return socket;
    };
    const first = connectAs(1);
    await once(first, 'open');
    first.send('[1,["increment",[]]]');
    await once(first, 'message');
    // It has arrived, and is not stored any more.
    first.send('[2,2,["count",["increment"]]]');
    await once(first, 'message');
    first.close(4000);
    await once(first, 'close');
    const [{ code, reason }] = await once(connectAs(1), 'close');
    expect({ code, reason }).toEqual({ code: 4400, reason: expect.stringMatching(/^NOT_EXECUTED: /) });
    const next = connectAs(2);
    await once(next, 'open');
    next.close();
  });
});
