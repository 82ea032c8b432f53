import { connection } from '@lumenize/rpc';

/** What a soak found. */
export interface SoakReport {
  calls: number;
  /** Bytes that the client's heap holds after garbage collection, at even distances. */
  heapBytes: number[];
  client: Record<string, number>;
  server: Record<string, number>;
}

/** How to run a soak. */
export interface SoakOptions {
  calls: number;
  /** Collects garbage at the client. */
  collect: () => void;
  /** How often the heap is looked at. */
  samples: number;
  onProgress?: (calls: number) => void;
}

/** Calls made by one round. */
const ROUND = 10;
const ROUNDS_A_TURN = 20;

/**
 * Makes calls of every kind that leaves something in the tables of both sides: targets and functions that are disposed of,
 * or left to garbage collection, steps of chains, callbacks that live for a call or longer. Every result is checked.
 */
// biome-ignore lint/suspicious/noExplicitAny: what is by reference is tried untyped
export async function soak(stub: any, { calls, collect, samples, onProgress }: SoakOptions): Promise<SoakReport> {
  const heapBytes: number[] = [];
  let made = 0;
  const check = (actual: unknown, expected: unknown) => {
    if (actual !== expected) throw new Error(`call ${made}: ${actual} in place of ${expected}`);
  };

  const round = async (n: number) => {
    using room = await stub.room(n);
    const left = stub.room(n);
    const [a, b, c, d, e, add] = await Promise.all([
      room.add(1),
      left.self().add(2),
      left.n,
      stub.ask((given: number) => given * 2, n),
      stub.listen((given: number) => given + 3, n),
      stub.adder(n),
    ]);
    check(a, n + 1);
    check(b, n + 2);
    check(c, n);
    check(d, n * 2);
    check(e === n || e === n + 3, true);
    check(await add(4), n + 4);
  };

  const held = async () => {
    const { callsInFlight, exports, imports, channels, heldResults } = connection(stub).statistics;
    return { client: { callsInFlight, exports, imports, channels, heldResults }, server: await stub.counts() };
  };

  /** Collects garbage on both sides until nothing is held, or it is clear that something stays: workerd takes its time. */
  const settle = async () => {
    let counts = await held();
    for (let turn = 0; turn < 600; turn++) {
      collect();
      await stub.collect();
      // What was collected is told of in a task of its own, and released in a frame of its own.
      await new Promise((resolve) => setTimeout(resolve, 20));
      counts = await held();
      // Results inside of chains stay: the newest 1,000 of a connection.
      const { heldResults: _client, ...client } = counts.client;
      const { heldResults: _server, ...server } = counts.server;
      if ([client, server].every((side) => Object.values(side).every((count) => count === 0))) break;
    }
    return counts;
  };

  for (let sample = 0; sample < samples; sample++) {
    const until = (calls * (sample + 1)) / samples;
    while (made < until) {
      await Promise.all(Array.from({ length: ROUNDS_A_TURN }, (_, index) => round(made + index)));
      made += ROUND * ROUNDS_A_TURN;
      onProgress?.(made);
    }
    await settle();
    heapBytes.push(process.memoryUsage().heapUsed);
  }
  return { calls: made, heapBytes, ...(await settle()) };
}
