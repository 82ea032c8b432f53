import { expectAnswer, type Scenario } from './scenario.ts';

/** `calls` increments, each begun when the one before it has been answered. */
export function incrementSequential(name: string, calls: number): Scenario {
  return {
    family: 'counter',
    name,
    sample: 'call',
    operations: calls,
    increments: calls,
    async measure({ connection }, samplesMs) {
      const start = performance.now();
      let before = start;
      for (let i = 1; i <= calls; i++) {
        expectAnswer('increment', await connection.increment(), i);
        const now = performance.now();
        samplesMs.push(now - before);
        before = now;
      }
      return before - start;
    },
  };
}

/** `calls` reads, each begun when the one before it has been answered. */
export function getValueSequential(name: string, calls: number): Scenario {
  return {
    family: 'counter',
    name,
    sample: 'call',
    operations: calls,
    increments: 0,
    async measure({ connection }, samplesMs) {
      const start = performance.now();
      let before = start;
      for (let i = 1; i <= calls; i++) {
        expectAnswer('getValue', await connection.getValue(), 0);
        const now = performance.now();
        samplesMs.push(now - before);
        before = now;
      }
      return before - start;
    },
  };
}

/** `pairs` times an increment and then a read, one call at a time. */
export function mixedSequential(name: string, pairs: number): Scenario {
  return {
    family: 'counter',
    name,
    sample: 'call',
    operations: 2 * pairs,
    increments: pairs,
    async measure({ connection }, samplesMs) {
      const start = performance.now();
      let before = start;
      for (let i = 1; i <= pairs; i++) {
        expectAnswer('increment', await connection.increment(), i);
        const between = performance.now();
        expectAnswer('getValue', await connection.getValue(), i);
        const now = performance.now();
        samplesMs.push(between - before, now - between);
        before = now;
      }
      return before - start;
    },
  };
}
