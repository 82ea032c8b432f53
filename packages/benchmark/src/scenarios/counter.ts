import type { Connection } from '../subjects/subject.ts';
import { CLOSING_MS, delay, expectAnswer, oneByOne, type Scenario, type Step, timed } from './scenario.ts';

/** Options of a block of a thousand calls. Its frames per call are those of a block of a hundred. */
const LONG = { long: true, counted: false } as const;
const MANY = 1000;

type Method = 'increment' | 'getValue';

/** Calls these methods `times` times. Each call begins when the one before it has been answered. */
export function sequential(name: string, times: number, ...methods: readonly Method[]): Scenario {
  const counts = methods.includes('increment');
  return {
    ...{ name, sample: 'call', operations: times * methods.length, increments: counts ? times : 0 },
    ...(times >= MANY && LONG),
    measure({ connection }, samplesMs) {
      const steps = methods.map((method): Step => [method, () => connection.work[method](), (i) => (counts ? i : 0)]);
      return oneByOne(times, samplesMs, steps);
    },
  };
}

/**
 * Makes calls with `callers` callers on one connection. Each makes `each` increments, or reads, one after the other.
 */
export function inFlight(name: string, method: Method, callers: number, each: number): Scenario {
  const calls = callers * each;
  return {
    ...{ name, sample: 'call', operations: calls, increments: method === 'increment' ? calls : 0 },
    measure: ({ connection }, samplesMs) => callAll(method, [connection], callers, calls, samplesMs),
  };
}

/**
 * Makes calls with `callers` callers on each connection until `calls` are made, and returns the total time. The order
 * among callers is up to the subject. The sum of the results shows that every value was returned once.
 */
async function callAll(
  method: Method,
  connections: readonly Connection[],
  callers: number,
  calls: number,
  samplesMs: number[],
): Promise<number> {
  // In the order of connections, so that the first calls are spread over them.
  const clients = Array.from({ length: callers }, () => connections).flat();
  let begun = 0;
  let sum = 0;
  const start = performance.now();
  const caller = async (client: Connection) => {
    while (begun < calls) {
      begun++;
      const before = performance.now();
      const answer = await client.work[method]();
      samplesMs.push(performance.now() - before);
      sum += answer;
    }
  };
  await Promise.all(clients.map(caller));
  const totalMs = performance.now() - start;
  expectAnswer('the sum of all answers', sum, method === 'increment' ? (calls * (calls + 1)) / 2 : 0);
  return totalMs;
}

/**
 * Begins `calls` increments in one turn of the event loop, `turns` times. A sample is a whole turn, until its last
 * answer.
 */
export function incrementInOneTurn(name: string, calls: number, turns: number): Scenario {
  const operations = calls * turns;
  return {
    ...{ name, sample: 'turn', operations, increments: operations },
    ...(calls >= MANY && LONG),
    measure: ({ connection }, samplesMs) =>
      timed(
        turns,
        samplesMs,
        async () => connection.incrementInOneTurn(calls),
        (answers, turn) => {
          expectAnswer('the number of answers', answers.length, calls);
          for (const [i, answer] of answers.entries()) expectAnswer('increment', answer, turn * calls + i + 1);
        },
      ),
  };
}

/** Measures from connecting to the first answer, `connections` times. Each connection is closed before the next. */
export function connectToFirstResult(name: string, connections: number): Scenario {
  return {
    ...{ name, sample: 'connection', operations: connections, increments: 0 },
    measure: ({ connect }, samplesMs) =>
      timed(
        connections,
        samplesMs,
        async () => {
          const connection = await connect();
          return { connection, answer: await connection.work.getValue() };
        },
        ({ connection, answer }) => {
          expectAnswer('getValue', answer, 0);
          connection.close();
          // Closing is not part of the next connection's time.
          return delay(CLOSING_MS);
        },
      ),
  };
}

const WARMING = sequential('warm-up', 15, 'increment', 'getValue');
const BURST_CALLS = 25;

/** Untimed work: calls one at a time, whose times show whether the arm is steady, and then a burst. */
export const WARM_UP: Scenario = {
  ...WARMING,
  increments: WARMING.increments + BURST_CALLS,
  async measure(bench, samplesMs) {
    const totalMs = await WARMING.measure(bench, samplesMs);
    await bench.connection.incrementInOneTurn(BURST_CALLS);
    return totalMs;
  },
};

/** The time for the sockets of a block to close, so that closing is not part of the next block. */
const CLOSING_MS_PER_CONNECTION = 0.2;

/**
 * Makes `calls` increments of one counter over `connections` connections in a closed loop. Each connection has
 * `inFlight` callers, and a caller makes its next call when the last one has been answered.
 */
export function incrementClosedLoop(connections: number, inFlight: number, calls: number): Scenario {
  return {
    ...{ name: `throughput/${connections}x${inFlight}`, sample: 'call', operations: calls, increments: calls },
    // With many calls in flight, all subjects but the first take seconds.
    ...{ long: inFlight > 1, counted: false },
    async measure({ connection, connect }, samplesMs) {
      const others = await Promise.all(Array.from({ length: connections - 1 }, async () => connect()));
      try {
        // Connects and makes the first call of each connection, because that is a scenario of its own.
        await Promise.all(others.map(({ work }) => work.getValue()));
        return await callAll('increment', [connection, ...others], inFlight, calls, samplesMs);
      } finally {
        for (const each of others) each.close();
        await delay(connections * CLOSING_MS_PER_CONNECTION);
      }
    },
  };
}

// Each list has the order in which a launch first measures it: the most important scenarios come before those that
// there may be no time for.

/** Calls of the counter. */
export const CALL_SCENARIOS: readonly Scenario[] = [
  sequential('increment/sequential', 100, 'increment'),
  sequential('getValue/sequential', 100, 'getValue'),
  incrementInOneTurn('increment/one-turn-100', 100, 1),
  connectToFirstResult('connect/first-result', 5),
  sequential('mixed/sequential', 50, 'increment', 'getValue'),
  inFlight('increment/in-flight', 'increment', 20, 5),
  inFlight('getValue/in-flight', 'getValue', 20, 5),
  incrementInOneTurn('increment/one-turn-1000', 1000, 1),
  sequential('increment/sequential-1000', 1000, 'increment'),
  sequential('getValue/sequential-1000', 1000, 'getValue'),
];

/** The same increments with one feature after the other. */
export const FEATURE_SCENARIOS: readonly Scenario[] = [
  sequential('feature-cost/one-at-a-time', 100, 'increment'),
  incrementInOneTurn('feature-cost/one-turn-100', 100, 8),
];

/** Increments over several connections with several calls in flight each, the most important first. */
export const THROUGHPUT_SCENARIOS: readonly Scenario[] = [
  incrementClosedLoop(20, 1, 500),
  incrementClosedLoop(20, 8, 800),
  incrementClosedLoop(20, 4, 800),
  incrementClosedLoop(20, 16, 1000),
  incrementClosedLoop(20, 2, 500),
];
