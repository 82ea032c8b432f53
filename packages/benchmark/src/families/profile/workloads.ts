import { openBench } from '../../blocks/block.ts';
import * as counter from '../../scenarios/counter.ts';
import { fanOut } from '../../scenarios/events.ts';
import { expectAnswer, type Scenario } from '../../scenarios/scenario.ts';
import { chain, expectSame, repeated } from '../../scenarios/turns.ts';
import type { Subject } from '../../subjects/subject.ts';
import { rows } from '../../values/payloads.ts';

/** A steady stream of the same calls. */
export interface Workload {
  /** Turns in a block: many where what comes before one would show. */
  readonly turns: number;
  /** Whether what it would take over real links is modelled. */
  readonly modelled: boolean;
  /** Makes blocks of so many turns. */
  scenario(turns: number): Scenario;
}

/** Sent by turns, so that compression cannot refer to an echo before: its window holds about two. */
const ROW_SETS = 4;

/** What is profiled, in the order of the tables. */
export const WORKLOADS: Readonly<Record<string, Workload>> = {
  getValue: { turns: 50, modelled: true, scenario: (turns) => counter.getValueSequential('getValue', turns) },
  increment: { turns: 100, modelled: false, scenario: (turns) => counter.incrementSequential('increment', turns) },
  'one-turn-100': { turns: 5, modelled: true, scenario: (turns) => counter.incrementInOneTurn('one-turn', 100, turns) },
  'chain-3': { turns: 20, modelled: true, scenario: (turns) => chain('chain-3', turns) },
  'echo-rows-200': { turns: 10, modelled: true, scenario: echoRows },
  event: { turns: 20, modelled: false, scenario: (turns) => fanOut('event', 1, turns) },
  connect: { turns: 3, modelled: false, scenario: (turns) => counter.connectToFirstResult('connect', turns) },
};

function echoRows(turns: number): Scenario {
  const sets = Array.from({ length: ROW_SETS }, (_, set) => rows(ROW_SETS * 200).slice(200 * set, 200 * (set + 1)));
  let echoes = 0;
  let verified = 0;
  return repeated('echo-rows-200', turns, {
    calls: (work) => work.echo(sets[echoes++ % ROW_SETS]),
    verify(answer) {
      expectAnswer('the number of rows', (answer as readonly unknown[]).length, 200);
      // All of each set once; each time it would be most of what the client does.
      if (verified < ROW_SETS) expectSame(answer, sets[verified++]);
    },
  });
}

/** Sets the counter to 0, waits for `ready`, runs a block and resolves with the times of its samples in ms. */
export type RunBlock = (ready?: () => Promise<void>) => Promise<number[]>;

/** Connects to an object that nothing else calls, lets `use` run blocks of the scenario, and closes the connection. */
export async function running<Result>(
  scenario: Scenario,
  subject: Subject,
  url: string,
  instance: string,
  use: (block: RunBlock) => Promise<Result>,
): Promise<Result> {
  const bench = await openBench(scenario, subject, { url, instance });
  try {
    return await use(async (ready) => {
      const samplesMs: number[] = [];
      if (scenario.increments > 0) await bench.connection.reset();
      await ready?.();
      await scenario.measure(bench, samplesMs);
      return samplesMs;
    });
  } finally {
    await bench.close();
  }
}
