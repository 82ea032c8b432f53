// What the process of one launch can be asked: it makes the calls, profiles both sides and folds what the profilers found.
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { openRelay, type Relay, type Traffic } from '@lumenize/hosts/relay';
import { median } from 'simple-statistics';
import { openBench } from '../../blocks/block.ts';
import type { Tell } from '../../engine/client-process.ts';
import { openJsonSocket } from '../../engine/json-socket.ts';
import type { Cannot, Figure, Report } from '../../engine/plan.ts';
import * as counter from '../../scenarios/counter.ts';
import { fanOut } from '../../scenarios/events.ts';
import { expectAnswer, type Scenario } from '../../scenarios/scenario.ts';
import { chain, expectSame, repeated } from '../../scenarios/turns.ts';
import { SUBJECTS } from '../../subjects/all.ts';
import type { Subject } from '../../subjects/subject.ts';
import { type SubjectName, unavailableBecause } from '../../subjects/subject.ts';
import { rows } from '../../values/payloads.ts';
import { type FunctionSamples, fold, INTERVAL_US, locateIn } from './fold.ts';

/** The two sides of a call. */
export type Side = 'client' | 'server';

/** One subject's turn with one workload. */
export interface Cell {
  readonly workload: string;
  readonly subject: SubjectName;
}

/** What is profiled in one launch, how long each part of a cell lasts, and where. */
export interface ProfileAsked {
  readonly cells: readonly Cell[];
  readonly warmUpMs: number;
  readonly plainMs: number;
  readonly profiledMs: number;
  /** The workloads whose bytes and round trips are counted, in the first launch. */
  readonly countWire: readonly string[];
  /** Whether to tell what each function takes, as `extra`. */
  readonly functions: boolean;
  readonly seed: number;
  /** A server without an inspector, for what is timed and counted. */
  readonly url: string;
  /** A server that is profiled, and the address of its inspector (`ws://…`). */
  readonly inspectedUrl: string;
  readonly inspector: string;
  /** The bundles that run here and there, beside their source maps. */
  readonly bundles: Readonly<Record<Side, string>>;
}

/** What one function takes for a place, in µs per call. */
export interface FunctionCost extends FunctionSamples {
  readonly side: Side;
}

/** Profiles cells, in another order with another seed. */
export async function profile(asked: ProfileAsked, tell: Tell): Promise<Report> {
  const around = await openProfilers(asked);
  const figures: Figure[] = [];
  const cannot: Cannot[] = [];
  const extra: (Cell & FunctionCost)[] = [];
  for (const [i, cell] of shuffled(asked.cells, seededRandom(asked.seed)).entries()) {
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
    tell(i + 1);
  }
  return { figures, cannot, ...(asked.functions && { extra }) };
}

/** Profiles both sides while `work` makes calls, of which it tells the number. */
type Around = (work: () => Promise<number>) => Promise<readonly FunctionCost[]>;

/** Connects to this process's profiler and to the server's. */
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
    // workerd is sampled at the same pace, but only while it holds the isolate: its waiting leaves no samples.
    const tickUs = (client.profile.endTime - client.profile.startTime) / client.profile.samples!.length;
    return Object.entries({ client, server }).flatMap(([name, { profile }]) => {
      const side = name as Side;
      return fold(profile, locate[side], tickUs / calls).map((each) => ({ ...each, side }));
    });
  };
}

async function measure(cell: Cell, { url, inspectedUrl, warmUpMs, plainMs, ...asked }: ProfileAsked, around: Around) {
  const workload = WORKLOADS[cell.workload];
  const scenario = workload.scenario(workload.turns);
  const perSample = scenario.operations / workload.turns;
  const subject = SUBJECTS[cell.subject];
  const instance = `${cell.workload}-${cell.subject}-${asked.seed}`;
  const warm = <Result>(at: string, use: (block: RunBlock) => Promise<Result>) =>
    running(scenario, subject, at, instance, (block) => during(warmUpMs, block).then(() => use(block)));
  const plain = await warm(url, (block) => during(plainMs, block));
  const profiled: number[] = [];
  const functions = await warm(inspectedUrl, (block) =>
    around(async () => profiled.push(...(await during(asked.profiledMs, block))) * perSample),
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
      ...(asked.countWire.includes(cell.workload) && (await countWire(workload, subject, url, instance))),
    },
  };
}

/** Runs blocks for `ms`, at least one, and resolves with the times of their samples in ms. */
async function during(ms: number, block: RunBlock): Promise<number[]> {
  const end = performance.now() + ms;
  const samplesMs: number[] = [];
  do samplesMs.push(...(await block()));
  while (performance.now() < end);
  return samplesMs;
}

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
  getValue: { turns: 50, modelled: true, scenario: (turns) => counter.sequential('getValue', turns, 'getValue') },
  increment: { turns: 100, modelled: false, scenario: (turns) => counter.sequential('increment', turns, 'increment') },
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

/** Of which the quickest counts, with and without delay: an operation that was held up looks like one of more round trips. */
const SAMPLES = 12;
/** Time for frames that a library sends after an answer, such as the release of a result. */
const AFTERMATH_MS = 20;
/** Each way, far above what the times of the same calls differ by. */
const DELAY_MS = 50;

/** Content of a TCP segment on Ethernet: 1500 bytes less headers. */
const SEGMENT_BYTES = 1448;
/** Headers of one: IPv4 20, TCP 20, timestamps 12. */
const SEGMENT_HEADER_BYTES = 52;

/**
 * Counts through relays, on objects of its own: what a call costs on the wire, and of operations that are modelled how
 * often the link is crossed there and back before the answer is there, and the bytes up to the answer, in segments.
 */
export async function countWire(
  workload: Workload,
  subject: Subject,
  url: string,
  instance: string,
): Promise<Readonly<Record<string, number>>> {
  /** Runs single turns through a relay that delays by so much, of a scenario that nothing else runs at the same time. */
  const through = async <Result>(
    delayMs: number,
    name: string,
    use: (turn: RunBlock, relay: Relay) => Promise<Result>,
  ) => {
    using relay = await openRelay(url, delayMs);
    return await running(workload.scenario(1), subject, relay.url, `${instance}-${name}`, async (turn) => {
      // Twice: the first call of a connection tells more than those after it.
      for (let i = 0; i < 2; i++) await turn();
      return use(turn, relay);
    });
  };
  const bytes = through(0, 'counted', async (turn, relay) => {
    let before = relay.passed();
    const since = ({ up, down }: Traffic) => ({ up: up - before.up, down: down - before.down });
    await turn(async () => {
      await delay(AFTERMATH_MS);
      before = relay.passed();
    });
    const answered = since(relay.passedAtLastDown());
    await delay(AFTERMATH_MS);
    return { answered, all: since(relay.passed()) };
  });
  // From the difference that a delay makes, so that what the operation itself takes does not count; none has less than one.
  const crossings = async () => {
    const directMs = await through(0, 'direct', (turn) => quickest(turn, 0));
    const slowMs = await through(DELAY_MS, 'slow', (turn) => quickest(turn, directMs + 3 * DELAY_MS));
    return Math.max(1, Math.round((slowMs - directMs) / (2 * DELAY_MS)));
  };
  const [{ all, answered }, roundTrips] = await Promise.all([bytes, workload.modelled ? crossings() : undefined]);
  const { operations } = workload.scenario(1);
  const perCall = { bytesUp: all.up / operations, bytesDown: all.down / operations };
  if (roundTrips === undefined) return perCall;
  return { ...perCall, roundTrips, answeredBytes: segmentedBytes(answered.up) + segmentedBytes(answered.down) };
}

/** Returns the least time of single turns, or the first that is less than `enoughMs`. */
async function quickest(turn: RunBlock, enoughMs: number): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < SAMPLES && leastMs >= enoughMs; i++) leastMs = Math.min(leastMs, ...(await turn()));
  return leastMs;
}

/**
 * Returns the bytes that `content` bytes of one direction are in TCP segments. They are packed into as few segments as
 * they fit in, which favours whoever sends many small frames; acknowledgements are not counted.
 */
export function segmentedBytes(content: number): number {
  return content + Math.ceil(content / SEGMENT_BYTES) * SEGMENT_HEADER_BYTES;
}

/**
 * Models how long an operation takes over a link, in ms: `base × round trips + bytes × 8 / bandwidth + processing`. The
 * link is idle otherwise, loses nothing and has no slow start; what goes up does not overlap with what comes down.
 */
export function modelledMs(
  cost: { readonly roundTrips: number; readonly bytes: number; readonly processingUs: number },
  { baseMs, mbitPerSecond }: { readonly baseMs: number; readonly mbitPerSecond: number },
): number {
  return baseMs * cost.roundTrips + (cost.bytes * 8) / (mbitPerSecond * 1000) + cost.processingUs / 1000;
}
