import type { Stub } from '@lumenize/rpc';
import type { LiveCounterApi } from '../../src/counter/live-counter.ts';

/** A call that the page can make, by what its class says of the method. */
export interface CounterCall {
  /** What the button says. */
  readonly label: string;
  /** As it is written in code. */
  readonly code: string;
  /** The delivery that is declared, as `static rpc` has it. */
  readonly delivery: 'nothing said' | 'exactlyOnce' | 'readOnly';
  /** What becomes of it when its answer is lost. */
  readonly promise: string;
  run(counter: Stub<LiveCounterApi>): Promise<number>;
}

/** How many calls the last one makes in a turn. */
const MANY = 100;

export const CALLS: readonly CounterCall[] = [
  {
    label: '+1',
    code: 'increment()',
    delivery: 'nothing said',
    promise: 'If its answer is lost it rejects with OUTCOME_UNKNOWN, and nobody repeats it.',
    run: (counter) => counter.increment(),
  },
  {
    label: '+1, once',
    code: 'incrementOnce()',
    delivery: 'exactlyOnce',
    promise: 'If its answer is lost it is sent again; where it ran, the stored result answers.',
    run: (counter) => counter.incrementOnce(),
  },
  {
    label: 'Read',
    code: 'getValue()',
    delivery: 'readOnly',
    promise: 'If its answer is lost it is sent again: reading twice does no harm.',
    run: (counter) => counter.getValue(),
  },
  {
    label: `+${MANY}`,
    code: `${MANY} × increment()`,
    delivery: 'nothing said',
    promise: 'A hundred calls of one turn: one frame carries them all.',
    async run(counter) {
      const values = await Promise.all(Array.from({ length: MANY }, () => counter.increment()));
      return values.at(-1)!;
    },
  },
];
