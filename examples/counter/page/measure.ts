import type { ConnectionStatistics } from '@lumenize/rpc';

export type Traffic = Pick<ConnectionStatistics, 'framesSent' | 'framesReceived' | 'bytesSent' | 'bytesReceived'>;

/** What one action cost on the wire and on the clock. */
export interface Cost extends Traffic {
  readonly roundTripMs: number;
}

/** Runs `action` and returns its result with what it cost. Nothing else may use the connection meanwhile. */
export async function measure<T>(traffic: () => Traffic, action: () => Promise<T>): Promise<[T, Cost]> {
  const before = traffic();
  const start = performance.now();
  const result = await action();
  const roundTripMs = performance.now() - start;
  const after = traffic();
  const cost = {
    roundTripMs,
    framesSent: after.framesSent - before.framesSent,
    framesReceived: after.framesReceived - before.framesReceived,
    bytesSent: after.bytesSent - before.bytesSent,
    bytesReceived: after.bytesReceived - before.bytesReceived,
  };
  return [result, cost];
}
