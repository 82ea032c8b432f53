import { delay } from '../delay.ts';
import type { Connection } from '../subjects/subject.ts';
import { expectAnswer, type Scenario } from './scenario.ts';

/** Time for the sockets of a block to close, so that it is not part of the next one. */
const CLOSING_MS_PER_CONNECTION = 0.2;

/** Returns the name of the scenario in which so many connections have so many calls in flight each. */
export function closedLoopName(connections: number, inFlight: number): string {
  return `throughput/${connections}x${inFlight}`;
}

/**
 * `calls` increments of one counter by `connections` connections in a closed loop: each has `inFlight` callers, and a
 * caller makes its next call when its last one has been answered.
 */
export function incrementClosedLoop(connections: number, inFlight: number, calls: number): Scenario {
  return {
    family: 'throughput',
    name: closedLoopName(connections, inFlight),
    sample: 'call',
    operations: calls,
    increments: calls,
    async measure({ connection, connect }, samplesMs) {
      const others = await Promise.all(Array.from({ length: connections - 1 }, async () => connect()));
      try {
        // Connected, and past the first call of a connection: that is a scenario of its own.
        await Promise.all(others.map((each) => each.getValue()));
        // In the order of connections, so that the first calls are spread over them.
        const clients = Array.from({ length: inFlight }, () => [connection, ...others]).flat();
        return await incrementAll(clients, calls, samplesMs);
      } finally {
        for (const each of others) each.close();
        await delay(connections * CLOSING_MS_PER_CONNECTION);
      }
    },
  };
}

async function incrementAll(clients: readonly Connection[], calls: number, samplesMs: number[]): Promise<number> {
  let begun = 0;
  // The order among callers is the subject's affair; that every value was given once shows in the sum.
  let sum = 0;
  const start = performance.now();
  const caller = async (client: Connection) => {
    while (begun < calls) {
      begun++;
      const before = performance.now();
      const answer = await client.increment();
      samplesMs.push(performance.now() - before);
      sum += answer;
    }
  };
  await Promise.all(clients.map(caller));
  const totalMs = performance.now() - start;
  expectAnswer('the sum of all answers', sum, (calls * (calls + 1)) / 2);
  return totalMs;
}
