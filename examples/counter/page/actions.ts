import type { Stub } from '@lumenize/rpc';
import type { CounterApi } from '../src/counter-api.ts';

/** What one button does: how many calls it makes, all in one turn, and the counter's value after them. */
export interface Action {
  readonly calls: number;
  run(counter: Stub<CounterApi>): Promise<number>;
}

export type ActionName = 'increment' | 'incrementByTen' | 'incrementHundredTimes' | 'reset';

export const ACTIONS: Record<ActionName, Action> = {
  increment: { calls: 1, run: (counter) => counter.increment() },
  incrementByTen: { calls: 1, run: (counter) => counter.increment(10) },
  incrementHundredTimes: {
    calls: 100,
    async run(counter) {
      const values = await Promise.all(Array.from({ length: 100 }, () => counter.increment()));
      return values.at(-1)!;
    },
  },
  reset: {
    calls: 2,
    async run(counter) {
      const [, value] = await Promise.all([counter.reset(), counter.getValue()]);
      return value;
    },
  },
};
