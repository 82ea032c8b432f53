import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ObservedWorker, observedWorker } from '@lumenize/hosts/observed-worker';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { ROOT } from '@lumenize/hosts/root';
import { untilAnswering } from '@lumenize/hosts/running-server';
import { bundleTo } from '@lumenize/hosts/worker-bundle';
import { readWorkerConfig, WORK_WORKER } from '@lumenize/hosts/worker-config';
import { bundleModule, bundleTasks } from '../../engine/bundle.ts';
import type { ClientProcess } from '../../engine/client-process.ts';
import type { Arm, Block, Extent, Family, Launch, Plan, Report, Wanted } from '../../engine/plan.ts';
import { armsOf, COMPARED, CONTROL } from '../../subjects/arms.ts';
import { IN_MEMORY, type SubjectName } from '../../subjects/subject.ts';
import { bytes, rows } from '../../values/payloads.ts';
import { SIZED } from '../size.ts';
import type { Calls, ColdTimes, Values } from './client.ts';

const TASKS = new URL('./client.ts', import.meta.url);
/** The folder of the subjects' Workers. */
const WORKERS = join(ROOT, 'packages/benchmark/worker/cold');

/** A subject: its export of the client's module, and its server's Worker. */
interface ColdPart {
  readonly name: string;
  /** The module of the client, bundled alone, because loading it is part of the measurement. @default none is loaded */
  readonly module?: string;
  readonly server: 'lumenize' | 'capnweb' | 'raw';
}

const PARTS = {
  lumenize: { name: 'lumenize', module: 'lumenize', server: 'lumenize' },
  capnweb: { name: 'capnweb', module: 'capnweb', server: 'capnweb' },
  'capnweb-plain': { name: 'capnwebPlain', module: 'capnweb', server: 'capnweb' },
  raw: { name: 'raw', server: 'raw' },
  'raw-plain': { name: 'rawPlain', server: 'raw' },
  floor: { name: 'floor', module: 'raw', server: 'raw' },
} as const satisfies Partial<Record<SubjectName, ColdPart>>;

type ColdSubject = keyof typeof PARTS;
const SUBJECTS = Object.keys(PARTS) as ColdSubject[];
const ARMS = [...armsOf(...SUBJECTS), CONTROL] as readonly Arm<ColdSubject>[];
const partOf = ({ subject }: Arm<ColdSubject>): ColdPart => PARTS[subject];

/** What loads of a server: the same as in the family *size*. Without a library there is nothing to load. */
const LOADED: Readonly<Partial<Record<ColdSubject, string>>> = {
  lumenize: SIZED.lumenize.server,
  'capnweb-plain': SIZED.capnweb.server,
};

/** Also what a library can reach: hand-written JSON that is imported. */
const COLD_COMPARED = { ...COMPARED, pairs: [...COMPARED.pairs, { subject: 'lumenize', baseline: 'floor' } as const] };

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
    'The first result is import, connecting and one read; a client that is warm has imported. Then 10 reads, up to the last of which is a row of its own, and then 225 echoes of 200 rows and 5 of 64 KiB, one at a time on that connection; every answer is compared with what was sent; hand-written JSON sends bytes as base64',
    'floor is hand-written JSON whose client, one class, is imported as that of a library is; raw and raw-plain import nothing. cold/server/import is the code of a server that is imported in Node, in place of the runtime, which has no clock for it',
    'Each subject is two bundles of its own, client and Worker, which are not minified; in a launch every subject has its turn once, in random order, and a launch is one pair',
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
    ...{ budgetMs, latestMs, compared: COLD_COMPARED },
    places: [{ host: 'workerd', launches }],
    scenarios: states.flatMap((state) =>
      names.map((name) => ({
        name: `cold/${state}/${name}`,
        sample: name === 'first-result' || name === 'up-to-read-11' ? ('connection' as const) : ('call' as const),
        operations: CALLS.find(([scenario]) => scenario === name)?.[2],
      })),
    ),
    async open(directory) {
      const bundles = await bundleAll(directory);
      return (launch) => oneLaunch(launch, part, arms, bundles);
    },
  };
}

/** Bundles the clients and the servers of all subjects, and what times them, into `directory`. */
async function bundleAll(directory: string) {
  const { compatibilityDate } = readWorkerConfig(WORK_WORKER);
  const config = { compatibilityDate, objects: { COUNTER: 'Counter' } };
  const serve = new Map<ColdPart['server'], Serve>();
  for (const server of new Set(Object.values(PARTS).map((part) => part.server))) {
    const own = join(directory, server);
    await mkdir(own, { recursive: true });
    serve.set(server, await observedWorker(own, join(WORKERS, `${server}.ts`), config));
  }
  for (const name of ['lumenize', 'capnweb', 'raw']) {
    await bundleModule(fileURLToPath(new URL(`../../subjects/${name}.ts`, import.meta.url)), directory, { name });
  }
  for (const [name, contents] of Object.entries(LOADED)) {
    await bundleTo(join(directory, `load-${name}.mjs`), {
      stdin: { contents, resolveDir: ROOT },
      conditions: ['workerd', 'worker', 'import'],
      alias: { 'cloudflare:workers': fileURLToPath(new URL('./workers.ts', import.meta.url)) },
      external: ['node:*'],
    });
  }
  return { directory, client: await bundleTasks(TASKS, directory), serve };
}

type Serve = Awaited<ReturnType<typeof observedWorker>>;
type Bundles = Awaited<ReturnType<typeof bundleAll>>;
type Tasks = typeof import('./client.ts');

/** Runs one launch. */
async function oneLaunch(
  launch: Launch,
  { states, names, calls, warmUps }: Omit<typeof ALL, 'launches'>,
  arms: readonly Arm<ColdSubject>[],
  { directory, client, serve }: Bundles,
): Promise<Report> {
  const values = { ...VALUES, calls };
  const random = seededRandom(launch.seed);
  const blocks: Block[] = [];
  const start = () => launch.client<Tasks>(client);
  const serverOf = (arm: Arm<ColdSubject>) => launch.keep(serve.get(partOf(arm).server)!());
  const requestOf = (arm: Arm<ColdSubject>, { url }: ObservedWorker, state: string) => {
    const { module, name } = partOf(arm);
    const path = module && join(directory, `${module}.mjs`);
    return { url, instance: `${arm.id}-${launch.seed}-${state}`, module: path, name, ...values };
  };
  const warm = new Map<string, { process: ClientProcess<Tasks>; server: ObservedWorker }>();
  for (const arm of arms) {
    const server = await serverOf(arm);
    const process = start();
    warm.set(arm.id, { process, server });
    await process.ask('warmUp', { ...requestOf(arm, server, 'warm-up'), calls: WARM_UP, times: warmUps });
    await process.ask('close', undefined as never);
  }
  async function inState(state: State, arm: Arm<ColdSubject>): Promise<ColdTimes> {
    const isFresh = { server: state === 'server' || state === 'both', client: state === 'client' || state === 'both' };
    const at = isFresh.server ? await serverOf(arm) : warm.get(arm.id)!.server;
    if (isFresh.server) await untilAnswering(at.url, START_TIMEOUT_MS);
    const process = isFresh.client ? start() : warm.get(arm.id)!.process;
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
  if (states.includes('server') && names.includes('import')) {
    for (const arm of shuffled(arms, random)) {
      if (LOADED[arm.subject] === undefined) continue;
      const process = start();
      await process.started();
      const ms = await process.ask('load', join(directory, `load-${arm.subject}.mjs`));
      process.stop();
      const block = { scenario: 'cold/server/import', arm: arm.id, round: 0, pass: 0, totalMs: ms, samplesMs: [ms] };
      blocks.push(block as Block);
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
