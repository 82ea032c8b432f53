// What the process of one launch can be asked: it makes the calls, profiles both sides and folds what the profilers found.
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { median } from 'simple-statistics';
import type { Tell } from '../../engine/client-process.ts';
import { openJsonSocket } from '../../engine/json-socket.ts';
import type { Cannot, Figure, Report } from '../../engine/report.ts';
import { SUBJECTS } from '../../subjects/all.ts';
import { type SubjectName, unavailableBecause } from '../../subjects/subject.ts';
import { type FunctionSamples, fold, INTERVAL_US, locateIn } from './fold.ts';
import { countWire } from './wire.ts';
import { type RunBlock, running, WORKLOADS } from './workloads.ts';

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
  /** Whether to tell what each function takes, as `extra`. @default false */
  readonly functions?: boolean;
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
