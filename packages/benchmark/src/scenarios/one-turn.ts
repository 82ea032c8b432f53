import { expectAnswer, type Scenario } from './scenario.ts';

/** `calls` increments begun in one turn of the event loop, `turns` times; a sample is a whole turn, until its last answer. */
export function incrementInOneTurn(name: string, calls: number, turns: number): Scenario {
  return {
    family: 'burst',
    name,
    sample: 'turn',
    operations: calls * turns,
    increments: calls * turns,
    async measure({ connection }, samplesMs) {
      let totalMs = 0;
      for (let turn = 0; turn < turns; turn++) {
        const start = performance.now();
        const answers = await connection.incrementInOneTurn(calls);
        const elapsed = performance.now() - start;
        samplesMs.push(elapsed);
        totalMs += elapsed;
        expectAnswer('the number of answers', answers.length, calls);
        for (const [i, answer] of answers.entries()) expectAnswer('increment', answer, turn * calls + i + 1);
      }
      return totalMs;
    },
  };
}
