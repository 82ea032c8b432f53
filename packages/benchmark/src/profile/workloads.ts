import { delay } from '../delay.ts';
import { rows } from '../payloads/rows.ts';
import { expectAnswer } from '../scenarios/scenario.ts';
import type { Connection } from '../subjects/subject.ts';
import { Unavailable } from '../subjects/unavailable.ts';
import type { Work } from '../work/work.ts';

/** Time for the close frames to pass. */
const SETTLE_MS = 1;

/** Makes one sample's calls, verifies their answers and resolves with the time in ms until the last answer. */
export type Sample = () => Promise<number>;

/** A steady stream of the same calls. */
export interface Workload {
  readonly name: string;
  /** Calls in one sample, by which times are divided. */
  readonly calls: number;
  /** Whether what it would take over real links is modelled. */
  readonly modelled: boolean;
  /** Prepares for samples on a connection whose object nothing was called on but by this; `connect` opens more of them. */
  begin(connection: Connection, connect: () => Connection | Promise<Connection>): Sample;
}

/** Calls in one turn of the event loop. */
const TURN = 100;

/** Sent by turns, so that compression cannot refer to an echo before: its window holds about two. */
const ROW_SETS = 4;

/** What is profiled, in the order of the tables. */
export const WORKLOADS: readonly Workload[] = [
  {
    ...{ name: 'getValue', calls: 1, modelled: true },
    begin: (connection) =>
      timed(
        () => connection.getValue(),
        (answer) => expectAnswer('getValue', answer, 0),
      ),
  },
  {
    ...{ name: 'increment', calls: 1, modelled: false },
    begin(connection) {
      let value = 0;
      return timed(
        () => connection.increment(),
        (answer) => expectAnswer('increment', answer, ++value),
      );
    },
  },
  {
    ...{ name: 'one-turn-100', calls: TURN, modelled: true },
    begin(connection) {
      let value = 0;
      return timed(
        () => connection.incrementInOneTurn(TURN),
        (answers) => {
          expectAnswer('the number of answers', answers.length, TURN);
          for (const answer of answers) expectAnswer('increment', answer, ++value);
        },
      );
    },
  },
  {
    ...{ name: 'chain-3', calls: 1, modelled: true },
    begin: (connection) =>
      timed(
        turn(connection, (work) => work.owner().profile().name),
        (answer) => expectAnswer('the chain', answer, 'Ada'),
      ),
  },
  {
    ...{ name: 'echo-rows-200', calls: 1, modelled: true },
    begin(connection) {
      const sets = Array.from({ length: ROW_SETS }, (_, set) => rows(ROW_SETS * 200).slice(200 * set, 200 * (set + 1)));
      let echoes = 0;
      return timed(
        turn(connection, (work) => work.echo(sets[echoes % ROW_SETS])),
        (answer) => {
          const sent = sets[echoes % ROW_SETS];
          expectAnswer('the number of rows', answer.length, sent.length);
          // All of each set once; each time it would be most of what the client does.
          if (echoes++ < ROW_SETS) expectAnswer('echo', JSON.stringify(answer), JSON.stringify(sent));
        },
      );
    },
  },
  {
    ...{ name: 'connect', calls: 1, modelled: false },
    begin: (_, connect) => async () => {
      const start = performance.now();
      const connection = await connect();
      const answer = await connection.getValue();
      const elapsedMs = performance.now() - start;
      expectAnswer('getValue', answer, 0);
      connection.close();
      await delay(SETTLE_MS);
      return elapsedMs;
    },
  },
];

/** Returns the workload called `name`. */
export function workloadNamed(name: string): Workload {
  const found = WORKLOADS.find((each) => each.name === name);
  if (!found) throw new Error(`no workload is called ${name}`);
  return found;
}

function timed<Result>(calls: () => PromiseLike<Result>, verify: (result: Result) => void): Sample {
  return async () => {
    const start = performance.now();
    const result = await calls();
    const elapsedMs = performance.now() - start;
    verify(result);
    return elapsedMs;
  };
}

function turn<Result>(connection: Connection, calls: (work: Work) => PromiseLike<Result>): () => PromiseLike<Result> {
  const run = connection.turn;
  if (!run) throw new Unavailable('it has no calls beside those of the counter');
  return () => run(calls);
}
