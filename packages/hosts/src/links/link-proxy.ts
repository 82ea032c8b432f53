import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Random } from '../random.ts';
import { Alarm } from './alarm.ts';
import { carry } from './carry.ts';
import { Lane } from './lane.ts';
import type { Link } from './link.ts';
import { SegmentQueue } from './segment-queue.ts';

const HOST = '127.0.0.1';
const BITS = 1e6;

/** A proxy that listens on a port of the loopback address. */
export interface LinkProxy {
  readonly port: number;
  /** Ends the proxy and all of its connections. */
  close(): Promise<void>;
}

/**
 * Starts a TCP proxy to `targetPort` whose connections are as slow as if they went over `link`. The system's own
 * handshake ends at once; the handshake of the link delays the first byte by a round trip. There is no slow start, and
 * no handshake is lost. Data that is read at once travels in as few packets as possible.
 */
export async function startLinkProxy(targetPort: number, link: Link, random: Random): Promise<LinkProxy> {
  const { rttMs, jitterMs, lossShare } = link;
  const lane = (mbits: number) =>
    new Lane({ delayMs: rttMs / 2, jitterMs: jitterMs / 2, bitsPerSecond: mbits * BITS, lossShare }, random);
  const up = lane(link.upMbits);
  const down = lane(link.downMbits);
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ host: HOST, port: targetPort, allowHalfOpen: true, noDelay: true });
    for (const socket of [near, far]) sockets.add(socket.once('close', () => sockets.delete(socket)));
    carry(far, near, new SegmentQueue(down, rttMs));
    const now = performance.now();
    const opened = new Alarm(() => carry(near, far, new SegmentQueue(up, rttMs)));
    opened.set(now + up.tripMs(now) + down.tripMs(now));
    near.once('close', () => opened.clear());
  });
  await once(server.listen(0, HOST), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
