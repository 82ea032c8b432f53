import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { ROOT } from '@lumenize/hosts/root';
import { mean } from 'simple-statistics';
import type { Arm, Block, Cannot, Extent, Family, Figure, Report } from '../../engine/plan.ts';
import type { Sample } from '../../engine/row.ts';
import { expectAnswer } from '../../scenarios/scenario.ts';
import { COMPARED, CONTROL, MAIN_ARMS, PLAIN_ARMS } from '../../subjects/arms.ts';
import type { SubjectName } from '../../subjects/subject.ts';
import { type ObservedLaunch, observing } from '../observed.ts';
import type * as tasks from './tasks.ts';
import { now } from './tasks.ts';

/** What is measured, in the order of tables. */
const SCENARIO = {
  importClient: 'import/client',
  importServer: 'import/server',
  firstCall: 'start/first-call',
  wake: 'wake/first-result',
  newSession: 'reconnect/new-session',
  resume: 'reconnect/resumed',
  updateOnce: 'update/increments, exactly once',
  update: 'update/increments',
} as const;

/** How long clients call before their code is replaced. */
const BEFORE_MS = 100;

/** How much there is of everything in a launch. */
const USUAL = {
  /** The code is replaced in so many of the launches. */
  updates: 3,
  /** How often objects hibernate and wake, and connections are cut; how many of them in a round. */
  rounds: 3,
  objects: 20,
  cuts: 4,
  /** Clients that call while the code is replaced. */
  clients: 50,
  /** Servers at the same time: more than one only where nothing but that it works is of interest. */
  atOnce: 1,
};

const { newSession, resume, updateOnce, wake } = SCENARIO;
const HOSTS = ['workerd', 'node'] as const;
const SUBJECTS: readonly string[] = [...MAIN_ARMS, ...PLAIN_ARMS].map(({ id }) => id);

/** What a sample times, by what scenarios begin with. @default a call */
const SAMPLES: Readonly<Record<string, Sample>> = { import: 'operation', start: 'connection', reconnect: 'connection' };

const IN_MEMORY = 'an object with an open connection of it stays in memory';
const BY_HAND = `the application hears of it by onRpcBroken, opens a session, gets its stubs anew and repeats its calls, as ${newSession} does`;
const NOBODY = `nobody wrote a reconnection; the nearest thing is ${newSession}`;

/** Who cannot do what, and why. */
const CANNOT: readonly Cannot[] = (
  [
    [wake, 'capnweb', `it cannot hibernate: ${IN_MEMORY}`],
    [wake, 'lumenize-accept', `hibernation is off: ${IN_MEMORY}`],
    [wake, 'raw-accept', `its socket does not hibernate: ${IN_MEMORY}`],
    [resume, 'capnweb', `it does not reconnect: ${BY_HAND}`],
    [resume, 'raw', NOBODY],
    [resume, 'raw-accept', NOBODY],
    [updateOnce, 'capnweb', 'calls in flight reject, and it does not make them again'],
    [updateOnce, 'raw', 'calls in flight reject, and nobody wrote how they are made again'],
  ] as const
).map(([scenario, arm, reason]) => ({ scenario, arm, reason }));

const ONCE = { updates: 1, rounds: 1, objects: 2, cuts: 1, clients: 5, atOnce: 3 };

/** How much is measured: `imports` are launches of their own. */
const AMOUNTS: Readonly<Record<Extent, typeof USUAL & { launches: number; imports: number; budgetMs: number }>> = {
  alone: { ...USUAL, updates: 8, imports: 30, launches: 14, budgetMs: 165_000 },
  whole: { ...USUAL, imports: 15, launches: 6, budgetMs: 70_000 },
  quick: { ...ONCE, imports: 1, launches: 1, budgetMs: 60_000 },
};

/** How long it takes until something answers: first, after sleep, after a loss, after new code. */
export const START: Family = {
  name: 'start',
  about: 'importing, start to first call, waking, reconnecting, and new code under clients that call',
  subjects: SUBJECTS,
  hosts: HOSTS,
  configuration: [
    'Import: the time of import() in a fresh process of Node, of the packages as they are built and installed: a few files of Lumenize RPC, one of Cap’n Web',
    'Start to first call: from the start of a workerd process with empty storage to the answer of getValue over a fresh connection of a client that has run nothing yet',
    'Waking: getValue of objects that had left memory with their sockets open (evictAllDurableObjects), which is made sure of',
    'Coming back: a proxy in the client resets a connection just before a call. “resumed” is that call, of getValue, by a client that reconnects by itself after a random wait of up to 250 ms; “new-session” is what a user does whose client does not, as if he had noticed at once, which favours it: a new connection and its first getValue',
    'New code: workerd is killed and started with another version of the Worker on the same port and storage while 50 clients increment one counter, each one call after the other; clients that do not reconnect open connections every 20 ms until one answers, and do not repeat what they lost',
  ],
  plan(extent, { subjects = SUBJECTS, hosts = ['workerd', 'node'] }) {
    const { launches, imports, budgetMs, ...amounts } = AMOUNTS[extent];
    const places = [
      { host: 'workerd', launches, atLeast: 3, steps: 3 },
      { host: 'node', launches: imports, atLeast: 3 },
    ] as const;
    const arms = [...MAIN_ARMS, ...PLAIN_ARMS, CONTROL].filter(({ subject }) => subjects.includes(subject));
    return {
      places: places.filter(({ host }) => hosts.includes(host)),
      ...{ budgetMs, latestMs: 2 * budgetMs },
      scenarios: Object.values(SCENARIO).map((name) => ({ name, sample: SAMPLES[name.split('/')[0]] ?? 'call' })),
      compared: COMPARED,
      open: observing<typeof tasks>(new URL('./tasks.ts', import.meta.url), 'counter', (launch) =>
        launch.host === 'node' ? importLaunch(launch.seed, arms) : startLaunch(launch, arms, amounts),
      ),
    };
  },
};

/** What each subject imports, as it is installed. */
const IMPORTED: readonly (readonly [scenario: string, subject: SubjectName, module: string])[] = [
  [SCENARIO.importClient, 'lumenize', '@lumenize/rpc'],
  [SCENARIO.importClient, 'capnweb', 'capnweb'],
  [SCENARIO.importServer, 'lumenize', '@lumenize/rpc/server'],
  [SCENARIO.importServer, 'capnweb', 'capnweb'],
];

const SCRIPT = `const begun = performance.now();
await import(process.argv[1]);
console.log(performance.now() - begun);`;

/** Imports each module once, in another order each time. */
async function importLaunch(seed: number, arms: readonly Arm<SubjectName>[]): Promise<Report> {
  const imports = IMPORTED.flatMap(([scenario, of, module]) =>
    arms.flatMap(({ id, subject }) => (subject === of ? [[scenario, id, module] as const] : [])),
  );
  const blocks: Block[] = [];
  for (const [scenario, id, module] of shuffled(imports, seededRandom(seed))) {
    blocks.push(blockOf(scenario, id, 0, [await timeImport(module)]));
  }
  return { blocks };
}

/**
 * Imports a module in a fresh process of Node and returns how long that took, in ms. Packages must have been built: Node
 * would else have to strip the types of our sources, which no user's does.
 */
async function timeImport(module: string): Promise<number> {
  const built = import.meta.resolve(module).replace(/\/src\/(.*)\.ts$/, '/dist/$1.js');
  if (!existsSync(fileURLToPath(built))) throw new Error(`${built} is not there; run npm run build`);
  // Options meant for this process, such as a test runner's conditions, are not for that one.
  const options = { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '' } };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT, built], options);
  return Number(stdout);
}

/** Starts servers, lets objects sleep and wake, cuts connections and replaces code. */
async function startLaunch(
  launch: ObservedLaunch<typeof tasks>,
  arms: readonly Arm<SubjectName>[],
  { rounds, objects, cuts: times, clients, atOnce, updates: updated }: typeof USUAL,
): Promise<Report> {
  const random = seededRandom(launch.seed);
  const blocks: Block[] = [];
  const figures: Figure[] = [];
  const found = (...block: Parameters<typeof blockOf>) => void blocks.push(blockOf(...block));

  launch.progress(0, 'start to first call');
  const starting = shuffled(arms, random).filter((arm) => !PLAIN_ARMS.some(({ id }) => id === arm.id));
  await launch.each(starting, atOnce, async ({ id: arm, subject }, { url, spawnedAt }, client) => {
    const answeredAt = await client.ask('hold', { url, subject, arm, objects: 1 });
    found(SCENARIO.firstCall, arm, 0, [answeredAt - spawnedAt()]);
  });

  launch.progress(1, 'waking and coming back');
  await launch.each([arms], 1, async (_, { url, evict, lives }, client) => {
    const hibernating = arms.filter(({ subject }) => ['lumenize', 'raw', 'raw-plain'].includes(subject));
    const resuming = arms.filter(({ id, subject }) => id === subject && subject.startsWith('lumenize'));
    for (const { id: arm, subject } of hibernating) await client.ask('hold', { url, subject, arm, objects });
    for (let round = 0; round < rounds && hibernating.length > 0; round++) {
      await evict();
      const before = await lives();
      for (const { id } of shuffled(hibernating, random)) {
        found(SCENARIO.wake, id, round, await client.ask('wake', { arm: id }));
      }
      expectAnswer('objects that woke', (await lives()) - before, objects * hibernating.length);
    }
    for (let round = 0; round < rounds; round++) {
      for (const scenario of [SCENARIO.newSession, SCENARIO.resume] as const) {
        const reconnects = scenario === SCENARIO.resume;
        for (const { id, subject } of shuffled(reconnects ? resuming : arms, random)) {
          found(scenario, id, round, await client.ask('cut', { url, subject, times, reconnects }));
        }
      }
    }
  });

  launch.progress(2, 'new code');
  // Increments that are declared to run exactly once, which only one subject can, come last.
  const updates = [
    ...arms.filter(({ id }) => ['lumenize', 'capnweb', 'raw'].includes(id)).map((arm) => ({ ...arm, once: false })),
    ...arms.filter(({ id }) => id === 'lumenize').map((arm) => ({ ...arm, once: true })),
  ];
  await launch.each(launch.number < updated ? updates : [], atOnce, async ({ subject, once }, server, client) => {
    await client.ask('call', { url: server.url, subject, clients, once });
    await delay(BEFORE_MS);
    expectAnswer('version before the update', await server.version(), 1);
    const endedAt = now();
    await server.kill();
    await server.restart(newVersion);
    const losses = await client.ask('finish', { endedAt, newAt: server.spawnedAt() });
    expectAnswer('version after the update', await server.version(), 2);
    figures.push({ scenario: once ? SCENARIO.updateOnce : SCENARIO.update, arm: subject, ...losses });
  });
  const cannot = CANNOT.filter(({ arm }) => arms.some(({ subject }) => subject === arm));
  return { blocks, figures, cannot };
}

/** A block of these samples: few, and compared by their mean. */
function blockOf(scenario: string, arm: string, round: number, samplesMs: readonly number[]): Block {
  return { scenario, arm, round, pass: 0, totalMs: mean([...samplesMs]), samplesMs };
}

function newVersion(bundle: string): string {
  const changed = bundle.replaceAll('OBSERVED_VERSION = 1', 'OBSERVED_VERSION = 2');
  if (changed === bundle) throw new Error('the bundle has no version');
  return changed;
}
