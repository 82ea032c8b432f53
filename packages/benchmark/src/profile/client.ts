// The process of one launch: it makes the calls, profiles both sides and folds what the profilers found.
import '@transformation-dev/debug';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { median } from 'simple-statistics';
import { answerPlan } from '../load/answer-plan.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { unavailableBecause } from '../subjects/unavailable.ts';
import { countWire } from './count-wire.ts';
import { fold } from './fold.ts';
import { type Locate, locateIn } from './locate.ts';
import type { Cell, CellReport, Profiled, ProfilePlan, ProfileReport, UnavailableCell } from './plan.ts';
import { Profilers } from './profilers.ts';
import { type Sample, workloadNamed } from './workloads.ts';

const US_PER_MS = 1000;

interface Locates {
  readonly client: Locate;
  readonly server: Locate;
}

answerPlan(launch);

async function launch(plan: ProfilePlan, onProgress: (done: number) => void): Promise<ProfileReport> {
  const profilers = await Profilers.connect(plan.inspector);
  const locates = { client: locateIn(plan.clientBundle), server: locateIn(plan.workerBundle) };
  const cells: (CellReport | UnavailableCell)[] = [];
  for (const cell of shuffled(plan.cells, seededRandom(plan.seed))) {
    cells.push(await measure(cell, plan, profilers, locates));
    onProgress(cells.length);
  }
  profilers.close();
  return { cells };
}

async function measure(
  cell: Cell,
  plan: ProfilePlan,
  profilers: Profilers,
  locates: Locates,
): Promise<CellReport | UnavailableCell> {
  const instance = `${cell.workload}-${cell.subject}-${plan.seed}`;
  try {
    const plain = await onConnection(cell, plan.url, instance, async (sample) => {
      await during(plan.warmUpMs, sample);
      return during(plan.plainMs, sample);
    });
    const profiled = await onConnection(cell, plan.inspectedUrl, instance, async (sample) => {
      await during(plan.warmUpMs, sample);
      return profile(cell, plan.profiledMs, sample, profilers, locates);
    });
    const wire = plan.countWire.includes(cell.workload)
      ? await countWire(workloadNamed(cell.workload), SUBJECTS[cell.subject], plan.url, instance)
      : undefined;
    return { ...cell, sampleUs: US_PER_MS * median(plain), samples: plain.length, profiled, wire };
  } catch (error) {
    const unavailable = unavailableBecause(error);
    if (unavailable === undefined) throw new Error(`${cell.workload}, ${cell.subject}: ${error}`, { cause: error });
    return { ...cell, unavailable };
  }
}

async function profile(
  { workload }: Cell,
  forMs: number,
  sample: Sample,
  profilers: Profilers,
  locates: Locates,
): Promise<Profiled> {
  let timesMs: number[] = [];
  const { client, server } = await profilers.around(async () => {
    timesMs = await during(forMs, sample);
  });
  return {
    client: fold(client, 'client', locates.client),
    server: fold(server, 'server', locates.server),
    calls: timesMs.length * workloadNamed(workload).calls,
    // workerd is sampled at the same pace, but only while it holds the isolate: its waiting leaves no samples.
    tickUs: (client.endTime - client.startTime) / client.samples!.length,
    sampleUs: US_PER_MS * median(timesMs),
  };
}

async function onConnection<Result>(
  { subject, workload }: Cell,
  url: string,
  instance: string,
  use: (sample: Sample) => Promise<Result>,
): Promise<Result> {
  const connect = () => SUBJECTS[subject].connect(url, instance);
  const connection = await connect();
  try {
    return await use(workloadNamed(workload).begin(connection, connect));
  } finally {
    connection.close();
  }
}

/** Takes samples one after the other, at least three, for `ms`, and resolves with their times in ms. */
async function during(ms: number, sample: Sample): Promise<number[]> {
  const end = performance.now() + ms;
  const timesMs: number[] = [];
  do timesMs.push(await sample());
  while (performance.now() < end || timesMs.length < 3);
  return timesMs;
}
