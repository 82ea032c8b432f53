import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ObservedWorker } from '@lumenize/hosts/observed-worker';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { untilAnswering } from '@lumenize/hosts/running-server';
import { bundleModule } from '../../engine/bundle.ts';
import type { ClientProcess } from '../../engine/client-process.ts';
import type { Arm, Block, Extent, Family, Plan, Report, Wanted } from '../../engine/plan.ts';
import { armsOf, COMPARED, CONTROL } from '../../subjects/arms.ts';
import { IN_MEMORY, type SubjectName } from '../../subjects/subject.ts';
import { bytes, rows } from '../../values/payloads.ts';
import { type ObservedLaunch, observing } from '../observed.ts';
import type { Calls, ColdTimes, Values } from './client.ts';

const TASKS = new URL('./client.ts', import.meta.url);

/**
 * The modules of the subjects. Each is bundled alone, because loading the code of a client is part of the measurement.
 */
const MODULES = {
  lumenize: ['lumenize', 'lumenize'],
  capnweb: ['capnweb', 'capnweb'],
  'capnweb-plain': ['capnweb', 'capnwebPlain'],
  raw: ['raw', 'raw'],
  'raw-plain': ['raw', 'rawPlain'],
} as const satisfies Partial<Record<SubjectName, readonly [module: string, name: string]>>;

type ColdSubject = keyof typeof MODULES;
const SUBJECTS = Object.keys(MODULES) as ColdSubject[];
const ARMS = [...armsOf(...SUBJECTS), CONTROL] as readonly Arm<ColdSubject>[];

/** Names the part that is new: client, server or both; or only the object's memory, on a connection that has been used. */
const STATES = ['client', 'server', 'both', 'woken'] as const;
type State = (typeof STATES)[number];

/** The calls. Their numbers count from 1 within their kind; the first read is that of the first result. */
const CALLS: readonly Calls[] = [
  ['reads-2-to-11', 'read', 10],
  ['rows-1-to-5', 'rows', 5],
  ['rows-6-to-25', 'rows', 20],
  ['rows-26-to-225', 'rows', 200],
  ['bytes-64KiB', 'bytes', 5],
];
const VALUES: Omit<Values, 'calls'> = {
  rows: JSON.stringify(rows(200)),
  bytes: Buffer.from(bytes(64 * 1024)).toString('base64'),
};
const START_TIMEOUT_MS = 60_000;

/** The calls of each connection before a client and a server count as warm: 1,500 reads and 402 echoes over three. */
const WARM_UP: readonly Calls[] = [
  ['reads', 'read', 500],
  ['rows', 'rows', 134],
  ['bytes', 'bytes', 5],
];

/** The states and calls, the number of connections before a client and a server count as warm, and the launches. */
const ALL = {
  ...{ states: STATES as readonly State[], calls: CALLS, warmUps: 3, launches: 7 },
  names: ['first-result', 'up-to-read-11', 'import', ...CALLS.map(([name]) => name)],
};
/** All launches fit into the time, except on a very slow machine. */
const WHOLE = { ...ALL, budgetMs: 95_000, latestMs: 130_000 };
const AMOUNTS: Readonly<Record<Extent | 'short', typeof WHOLE>> = {
  alone: { ...ALL, budgetMs: 160_000, latestMs: 200_000 },
  whole: WHOLE,
  quick: { ...WHOLE, states: ['client', 'woken'], warmUps: 1, launches: 1 },
  short: {
    ...WHOLE,
    states: ['client'],
    calls: CALLS.slice(0, 2),
    names: ['first-result', 'rows-1-to-5'],
  },
};

/** Measures the cost of a new client, a new server or an object that was asleep, call by call. */
export const COLD: Family = {
  name: 'cold',
  about: 'fresh clients, fresh servers and objects that wake: the first result, and the calls after it',
  subjects: SUBJECTS,
  hosts: ['workerd'],
  configuration: [
    'Fresh client: a process that has loaded nothing of the subject, against a server that its subject has warmed up; fresh server: a workerd that has answered one request that no subject has part in, and a warmed client; both; woken: a warmed client and server, with an object that has just hibernated, on the connection that it has had before. What is warm has made three connections, with 1,500 reads and 402 echoes of 200 rows together',
    'The first result is import, connecting and one read; a client that is warm has imported. Then 10 reads, up to the last of which is a row of its own: a first call that goes with the upgrade leaves the first use of the socket to the second. Then 225 echoes of 200 rows and 5 of 64 KiB, one at a time on that connection; every answer is compared with what was sent; hand-written JSON sends bytes as base64',
    'Each subject is a bundle of its own, which is not minified; in a launch every subject has its turn once, in random order, and a launch is one pair',
  ],
  plan: planCold,
};

/** Measures the part for the short profile: new clients, at two points. */
export const COLD_SHORT: Family = {
  ...COLD,
  plan: (_extent, wanted) => planCold('short', wanted),
};

function planCold(extent: keyof typeof AMOUNTS, { subjects }: Wanted): Plan {
  const { launches, budgetMs, latestMs, ...part } = AMOUNTS[extent];
  const { states, names } = part;
  const wanted = ARMS.filter(({ subject }) => subjects?.includes(subject) ?? true);
  const arms = extent === 'quick' ? wanted.filter(({ id }) => id !== CONTROL.id) : wanted;
  return {
    ...{ budgetMs, latestMs, compared: COMPARED },
    places: [{ host: 'workerd', launches }],
    scenarios: states.flatMap((state) =>
      names.map((name) => ({
        name: `cold/${state}/${name}`,
        sample: name === 'first-result' || name === 'up-to-read-11' ? ('connection' as const) : ('call' as const),
        operations: CALLS.find(([scenario]) => scenario === name)?.[2],
      })),
    ),
    async open(directory) {
      for (const name of new Set(Object.values(MODULES).map(([module]) => module))) {
        const source = fileURLToPath(new URL(`../../subjects/${name}.ts`, import.meta.url));
        await bundleModule(source, directory, { name });
      }
      const open = observing<Tasks>(TASKS, 'work', (launch) => oneLaunch(launch, part, arms, directory));
      return open(directory);
    },
  };
}

type Tasks = typeof import('./client.ts');

/** Runs one launch. The subjects are modules in `directory`. */
async function oneLaunch(
  launch: ObservedLaunch<Tasks>,
  { states, names, calls, warmUps }: Omit<typeof ALL, 'launches'>,
  arms: readonly Arm<ColdSubject>[],
  directory: string,
): Promise<Report> {
  const values = { ...VALUES, calls };
  const random = seededRandom(launch.seed);
  const blocks: Block[] = [];
  const requestOf = ({ id, subject }: Arm<ColdSubject>, { url }: ObservedWorker, state: string) => ({
    ...{ url, instance: `${id}-${launch.seed}-${state}` },
    ...{ module: join(directory, `${MODULES[subject][0]}.mjs`), name: MODULES[subject][1], ...values },
  });
  const server = await launch.serve();
  const warm = new Map<string, ClientProcess<Tasks>>();
  for (const arm of arms) {
    const process = launch.client();
    warm.set(arm.id, process);
    await process.ask('warmUp', { ...requestOf(arm, server, 'warm-up'), calls: WARM_UP, times: warmUps });
    await process.ask('close', undefined as never);
  }
  async function inState(state: State, arm: Arm<ColdSubject>): Promise<ColdTimes> {
    const isFresh = { server: state === 'server' || state === 'both', client: state === 'client' || state === 'both' };
    const at = isFresh.server ? await launch.serve() : server;
    if (isFresh.server) await untilAnswering(at.url, START_TIMEOUT_MS);
    const process = isFresh.client ? launch.client() : warm.get(arm.id)!;
    let times = await process.ask('connect', requestOf(arm, at, state));
    if (state === 'woken') {
      await at.evict();
      times = await process.ask('again', values);
    }
    if (isFresh.client) process.stop();
    else await process.ask('close', undefined as never);
    if (isFresh.server) await at.stop();
    return times;
  }
  const stays = (state: State, { subject }: Arm) => state === 'woken' && subject.startsWith('capnweb');
  for (const state of states) {
    for (const arm of shuffled(arms, random)) {
      for (const [name, samplesMs] of stays(state, arm) ? [] : Object.entries(await inState(state, arm))) {
        // A warm client has imported the module already.
        if (!names.includes(name) || (name === 'import' && state === 'server')) continue;
        const totalMs = samplesMs.reduce((sum, each) => sum + each, 0);
        blocks.push({ scenario: `cold/${state}/${name}`, arm: arm.id, round: 0, pass: 0, totalMs, samplesMs });
      }
    }
  }
  const asleep = states.flatMap((state) => arms.filter((arm) => stays(state, arm)));
  const cannot = asleep.map(({ id: arm }) => ({
    scenario: 'cold/woken/first-result',
    arm,
    reason: `it cannot hibernate: ${IN_MEMORY}`,
  }));
  return { blocks, cannot };
}
