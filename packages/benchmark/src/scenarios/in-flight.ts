import type { Connection } from '../subjects/subject.ts';
import { expectAnswer, type Scenario } from './scenario.ts';

/** `callers` callers on one connection, each of whom makes `each` increments one after the other. */
export function incrementInFlight(name: string, callers: number, each: number): Scenario {
  const calls = callers * each;
  return inFlight(name, callers, each, calls, (connection) => connection.increment(), (calls * (calls + 1)) / 2);
}

/** `callers` callers on one connection, each of whom makes `each` reads one after the other. */
export function getValueInFlight(name: string, callers: number, each: number): Scenario {
  return inFlight(name, callers, each, 0, (connection) => connection.getValue(), 0);
}

function inFlight(
  name: string,
  callers: number,
  each: number,
  increments: number,
  call: (connection: Connection) => PromiseLike<number>,
  expectedSum: number,
): Scenario {
  return {
    family: 'counter',
    name,
    sample: 'call',
    operations: callers * each,
    increments,
    async measure({ connection }, samplesMs) {
      // The order among callers is the subject's affair; that every value was given once shows in the sum.
      let sum = 0;
      const start = performance.now();
      const caller = async () => {
        for (let i = 0; i < each; i++) {
          const before = performance.now();
          const answer = await call(connection);
          samplesMs.push(performance.now() - before);
          sum += answer;
        }
      };
      await Promise.all(Array.from({ length: callers }, caller));
      const totalMs = performance.now() - start;
      expectAnswer('the sum of all answers', sum, expectedSum);
      return totalMs;
    },
  };
}
