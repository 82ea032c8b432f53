import { delay } from '../delay.ts';
import { expectAnswer, type Scenario } from './scenario.ts';

/** From connecting to the first answer, `connections` times, each closed before the next. */
export function connectToFirstResult(name: string, connections: number): Scenario {
  return {
    family: 'latency',
    name,
    sample: 'connection',
    operations: connections,
    increments: 0,
    async measure({ connect }, samplesMs) {
      let totalMs = 0;
      for (let i = 0; i < connections; i++) {
        const start = performance.now();
        const connection = await connect();
        const answer = await connection.getValue();
        const elapsed = performance.now() - start;
        samplesMs.push(elapsed);
        totalMs += elapsed;
        expectAnswer('getValue', answer, 0);
        connection.close();
        // Lets the close frames pass, so that they are not part of the next connection's time.
        await delay(1);
      }
      return totalMs;
    },
  };
}
