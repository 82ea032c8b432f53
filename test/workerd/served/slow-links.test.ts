import { type LinkProxy, startLinkProxy } from '@lumenize/hosts/links/link-proxy';
import { seededRandom } from '@lumenize/hosts/random';
import { connect, connection, type Stub } from '@lumenize/rpc';
import { expect, onTestFinished, test } from 'vitest';
import type { ContractTarget } from '../../contract/contract-target.ts';
import { sharedWorker } from '../../support/shared-worker.ts';

/** Much shorter than the default, as the messages here are a tenth of those that were seen to be cut. */
const HEARTBEAT = { intervalMs: 1000, timeoutMs: 500 };
const FAST = 1000;

/** Connects over a link, in megabits a second. `lost` rejects when the connection is lost. */
async function connectOver(upMbits: number, downMbits: number) {
  const worker = await sharedWorker();
  const link = { rttMs: 40, jitterMs: 0, lossShare: 0, upMbits, downMbits };
  const proxy: LinkProxy = await startLinkProxy(worker.port, link, seededRandom(1));
  const url = worker.url(`/rpc/contract/${crypto.randomUUID()}`).replace(`:${worker.port}`, `:${proxy.port}`);
  const { promise: lost, reject } = Promise.withResolvers<never>();
  const stub: Stub<ContractTarget> = connect<ContractTarget>(url, {
    heartbeat: HEARTBEAT,
    onStateChange: (state, reason) => state === 'reconnecting' && reject(new Error(`lost: ${reason?.message}`)),
  });
  onTestFinished(async () => {
    connection(stub).close();
    await proxy.close();
  });
  expect(await stub.sum(1, 2)).toBe(3);
  return { stub, lost };
}

/** Bytes that nothing can compress. */
function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

test('a large message up that takes longer than the heartbeat does not cut the connection', async () => {
  const { stub, lost } = await connectOver(7, FAST);
  // Takes three and a half seconds.
  expect(await Promise.race([stub.sizeOf(randomBytes(3_100_000)), lost])).toBe(3_100_000);
});

test('a large message down that takes longer than the heartbeat does not cut the connection', async () => {
  const { stub, lost } = await connectOver(FAST, 0.8);
  // Takes four seconds.
  expect(await Promise.race([stub.echo(randomBytes(400_000)), lost])).toHaveLength(400_000);
});
