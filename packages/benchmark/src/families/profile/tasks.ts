// The tasks of a launch's process: it makes the calls, profiles both sides, and folds the profiles.
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { askObserved } from '@lumenize/hosts/ask-observed';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { median } from 'simple-statistics';
import { openBench } from '../../blocks/block.ts';
import { openJsonSocket } from '../../engine/json-socket.ts';
import type { Cannot, Figure, Report } from '../../engine/plan.ts';
import * as counter from '../../scenarios/counter.ts';
import { fanOut } from '../../scenarios/events.ts';
import { expectAnswer, type Scenario, timed } from '../../scenarios/scenario.ts';
import { chain, expectSame, repeated } from '../../scenarios/turns.ts';
import { SUBJECTS } from '../../subjects/all.ts';
import {
  type Connection,
  IN_MEMORY,
  type SubjectName,
  Unavailable,
  unavailableBecause,
} from '../../subjects/subject.ts';
import { rows } from '../../values/payloads.ts';
import { type FunctionSamples, fold, INTERVAL_US, locateIn } from './fold.ts';

/** The two sides of a call. */
export type Side = 'client' | 'server';

/** One subject's turn with one workload. */
export interface Cell {
  readonly workload: string;
  readonly subject: SubjectName;
}

/** The cells to profile in one launch, the duration of each part of a cell, and the place. */
export interface ProfileAsked {
  readonly cells: readonly Cell[];
  readonly warmUpMs: number;
  readonly plainMs: number;
  readonly profiledMs: number;
  /** True to return the costs of each function, as `extra`. */
  readonly functions: boolean;
  readonly seed: number;
  /** The URL of a server without an inspector, for timing. */
  readonly url: string;
  /** The URL of a server that is profiled. `inspector` is the URL of its inspector (`ws://…`). */
  readonly inspectedUrl: string;
  readonly inspector: string;
  /** The bundles of both sides, beside their source maps. */
  readonly bundles: Readonly<Record<Side, string>>;
}

/** The cost of one function for a place, in µs per call. */
export interface FunctionCost extends FunctionSamples {
  readonly side: Side;
}

/** Profiles cells. The seed determines their order. */
export async function profile(asked: ProfileAsked): Promise<Report> {
  const around = await openProfilers(asked);
  const figures: Figure[] = [];
  const cannot: Cannot[] = [];
  const extra: (Cell & FunctionCost)[] = [];
  for (const cell of shuffled(asked.cells, seededRandom(asked.seed))) {
    const of = { scenario: `profile/${cell.workload}`, arm: cell.subject };
    try {
      const { functions, ...figure } = await measure(cell, asked, around);
      figures.push({ ...of, ...figure });
      extra.push(...functions.map((each) => ({ ...cell, ...each })));
    } catch (cause) {
      const reason = unavailableBecause(cause);
      if (reason === undefined) throw new Error(`${cell.workload}, ${cell.subject}: ${cause}`, { cause });
      cannot.push({ ...of, reason });
    }
  }
  return { figures, cannot, ...(asked.functions && { extra }) };
}

/** Profiles both sides while `work` makes calls and returns their number. */
type Around = (work: () => Promise<number>) => Promise<readonly FunctionCost[]>;

/** Connects to the profilers of this process and of the server. */
async function openProfilers({ inspector, bundles }: ProfileAsked): Promise<Around> {
  const session = new Session();
  session.connect();
  const askServer = await openJsonSocket(inspector);
  const askBoth = (method: string, params = {}): Promise<unknown[]> =>
    Promise.all([session.post(method as never, params as never), askServer({ method, params })]);
  const locate = { client: locateIn(bundles.client), server: locateIn(bundles.server) };
  await askBoth('Profiler.enable');
  await askBoth('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  return async (work) => {
    await askBoth('Profiler.start');
    const calls = await work();
    const [client, server] = (await askBoth('Profiler.stop')) as Profiler.StopReturnType[];
    // workerd is sampled at the same pace, but only while it holds the isolate, so waiting leaves no samples.
    const tickUs = (client.profile.endTime - client.profile.startTime) / client.profile.samples!.length;
    return Object.entries({ client, server }).flatMap(([name, { profile }]) => {
      const side = name as Side;
      return fold(profile, locate[side], tickUs / calls).map((each) => ({ ...each, side }));
    });
  };
}

async function measure(cell: Cell, { url, inspectedUrl, warmUpMs, plainMs, ...asked }: ProfileAsked, around: Around) {
  const subject = SUBJECTS[cell.subject];
  const instance = `${cell.workload}-${cell.subject}-${asked.seed}`;
  /** Connects to an object that nothing else calls, warms both sides up, and runs `use`, which runs blocks there. */
  const warm = async <Result>(at: string, use: (blocks: Blocks) => Promise<Result>): Promise<Result> => {
    await using sleepers = new Sleepers(cell.subject, at, instance);
    const scenario = WORKLOADS[cell.workload](sleepers);
    const bench = await openBench(scenario, subject, { url: at, instance });
    const blocks: Blocks = async (ms) => {
      const samplesMs: number[] = [];
      const end = performance.now() + ms;
      do {
        if (scenario.increments > 0) await bench.connection.work.reset();
        const ofBlock: number[] = [];
        await scenario.measure(bench, ofBlock);
        samplesMs.push(...ofBlock);
      } while (performance.now() < end);
      return samplesMs;
    };
    try {
      await blocks(warmUpMs);
      return await use(blocks);
    } finally {
      await bench.close();
    }
  };
  const perSample = cell.workload === ONE_TURN ? CALLS_OF_A_TURN : 1;
  const plain = await warm(url, (blocks) => blocks(plainMs));
  const profiled: number[] = [];
  const functions = await warm(inspectedUrl, (blocks) =>
    around(async () => profiled.push(...(await blocks(asked.profiledMs))) * perSample),
  );
  const sum = (costs: readonly FunctionCost[]) => costs.reduce((total, { self }) => total + self, 0);
  const places = Map.groupBy(functions, ({ side, place }) => `${side}Us ${place}`);
  const callUs = (samplesMs: readonly number[]) => (1000 * median([...samplesMs])) / perSample;
  return {
    functions,
    unit: 'us',
    value: sum(functions),
    detail: {
      ...Object.fromEntries([...places].map(([name, costs]) => [name, sum(costs)])),
      ...{ calls: profiled.length * perSample, roundTripUs: callUs(plain), profiledRoundTripUs: callUs(profiled) },
    },
  };
}

/** Connections to objects that hibernate, each to one of its own. */
class Sleepers implements AsyncDisposable {
  readonly #connect: (object: number) => Connection | Promise<Connection>;
  readonly #url: string;
  readonly #subject: SubjectName;
  #connections: Promise<readonly Connection[]> | undefined;

  constructor(subject: SubjectName, url: string, instance: string) {
    this.#connect = (object) => SUBJECTS[subject].connect(url, `${instance}-${object}`);
    this.#url = url;
    this.#subject = subject;
  }

  /** Makes the objects hibernate, and returns the connections to them. Opens these when they are first needed. */
  async asleep(): Promise<readonly Connection[]> {
    if (!SLEEPING.includes(this.#subject)) throw new Unavailable(IN_MEMORY);
    this.#connections ??= Promise.all(Array.from({ length: SLEEPERS }, (_, object) => this.#connect(object)));
    const connections = await this.#connections;
    await askObserved(this.#url, 'evict');
    return connections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of (await this.#connections) ?? []) connection.close();
  }
}

/** Runs blocks for `ms`, at least one. Resolves with the times of their samples in ms. */
type Blocks = (ms: number) => Promise<number[]>;

const ONE_TURN = 'one-turn-100';
const CALLS_OF_A_TURN = 100;
/** The number of objects that hibernate at once, so that the request for it is a small part of the samples. */
const SLEEPERS = 50;
/** The subjects whose objects hibernate. */
const SLEEPING: readonly SubjectName[] = ['lumenize', 'raw-plain'];
/**
 * The number of sets of rows. They are sent in turn, so that compression cannot refer to an earlier echo: its window
 * holds about two.
 */
const ROW_SETS = 4;

/**
 * Functions that create steady streams of the same calls, in the order of tables. There are many calls in a block if
 * the work before a block would otherwise show.
 */
export const WORKLOADS: Readonly<Record<string, (sleepers: Sleepers) => Scenario>> = {
  getValue: () => counter.sequential('getValue', 50, 'getValue'),
  increment: () => counter.sequential('increment', 100, 'increment'),
  [ONE_TURN]: () => counter.incrementInOneTurn('one-turn', CALLS_OF_A_TURN, 5),
  'chain-3': () => chain('chain-3', 20),
  'echo-rows-200': echoRows,
  event: () => fanOut('event', 1, 20),
  connect: () => counter.connectToFirstResult('connect', 3),
  wake: (sleepers) => ({
    ...{ name: 'wake', sample: 'call', operations: SLEEPERS, increments: 0 },
    async measure(_, samplesMs) {
      const asleep = await sleepers.asleep();
      const verify = (answer: number) => expectAnswer('getValue', answer, 0);
      return timed(asleep.length, samplesMs, async (i) => asleep[i].work.getValue(), verify);
    },
  }),
};

function echoRows(): Scenario {
  const all = rows(ROW_SETS * 200);
  const sets = Array.from({ length: ROW_SETS }, (_, set) => all.slice(200 * set, 200 * (set + 1)));
  let echoes = 0;
  let verified = 0;
  return repeated('echo-rows-200', 10, {
    calls: (work) => work.echo(sets[echoes++ % ROW_SETS]),
    verify(answer) {
      expectAnswer('the number of rows', (answer as readonly unknown[]).length, 200);
      // Compares all rows of each set only once. Comparing every time would be most of the client's work.
      if (verified < ROW_SETS) expectSame(answer, sets[verified++]);
    },
  });
}
