import type { Connection } from '../subjects/subject.ts';
import { Unavailable } from '../subjects/unavailable.ts';
import type { Work } from '../work/work.ts';
import type { Family, Scenario } from './scenario.ts';

/** What a scenario that repeats one turn says of itself. */
export interface TurnScenario<Result> {
  readonly family: Family;
  readonly name: string;
  readonly sample: Scenario['sample'];
  /** Turns in one block, and operations in one turn. @default 1 operation */
  readonly turns: number;
  readonly operations?: number;
  /** What one turn adds to the counter. @default 0 */
  readonly increments?: number;
  /** Runs before the first turn, outside of the time. */
  prepare?(): void;
  /** Makes the calls of turn `i`, from 0 on; its time ends when what it returns has settled. */
  calls(work: Work, i: number): PromiseLike<Result>;
  /** What is to be done with the result within the time, such as reading a stream. */
  finish?(result: Result): Promise<unknown>;
  /** Throws unless the result, or what `finish` made of it, is right; outside of the time. */
  verify(result: unknown, i: number): void;
}

/** Makes a scenario of turns, each begun when the one before it has been answered and verified. */
export function repeatedTurn<Result>({
  turns,
  operations = 1,
  increments = 0,
  prepare,
  calls,
  finish,
  verify,
  ...about
}: TurnScenario<Result>): Scenario {
  return {
    ...about,
    operations: turns * operations,
    increments: turns * increments,
    async measure({ connection }, samplesMs) {
      const turn = turnOf(connection);
      prepare?.();
      let totalMs = 0;
      for (let i = 0; i < turns; i++) {
        const start = performance.now();
        const result = await turn((work) => calls(work, i));
        const finished = finish ? await finish(result) : result;
        const elapsed = performance.now() - start;
        samplesMs.push(elapsed);
        totalMs += elapsed;
        verify(finished, i);
      }
      return totalMs;
    },
  };
}

function turnOf(connection: Connection): NonNullable<Connection['turn']> {
  if (!connection.turn) throw new Unavailable('it has no calls beside those of the counter');
  return connection.turn;
}
