import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inTurn } from '@lumenize/hosts/in-turn';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { ROOT } from '@lumenize/hosts/root';
import { mean } from 'simple-statistics';
import type { ClientProcess } from '../../engine/client-process.ts';
import type { Launch } from '../../engine/plan.ts';
import type { Block, Figure, Report } from '../../engine/report.ts';
import type { Arm } from '../../engine/schedule.ts';
import { expectAnswer } from '../../scenarios/scenario.ts';
import { PLAIN_ARMS } from '../../subjects/arms.ts';
import type { SubjectName } from '../../subjects/subject.ts';
import { type ObservedWorker, withFresh } from '../observed.ts';
import { now } from './callers.ts';
import type * as tasks from './tasks.ts';

/** What is measured, in the order of tables. */
export const SCENARIO = {
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
export const USUAL = {
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

/** What all launches share. */
export interface Shared extends Readonly<typeof USUAL> {
  readonly arms: readonly Arm<SubjectName>[];
  readonly serve: () => Promise<ObservedWorker>;
  readonly bundle: string;
}

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
export async function importLaunch({ seed }: Launch, { arms }: Shared): Promise<Report> {
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
export async function startLaunch(launch: Launch, shared: Shared): Promise<Report> {
  const { arms, rounds, objects, cuts: times, clients, atOnce } = shared;
  const random = seededRandom(launch.seed);
  const blocks: Block[] = [];
  const figures: Figure[] = [];
  const found = (...block: Parameters<typeof blockOf>) => void blocks.push(blockOf(...block));
  const fresh = (work: (server: ObservedWorker, client: ClientProcess<typeof tasks>) => Promise<void>) =>
    withFresh<typeof tasks>(
      launch,
      shared.bundle,
      // The client's own start is not the server's: it has to be there before.
      (client) => client.ask('ready', undefined).then(() => shared.serve()),
      work,
    );

  launch.progress(0, 'start to first call');
  const starting = shuffled(arms, random).filter((arm) => !PLAIN_ARMS.some(({ id }) => id === arm.id));
  await inTurn(starting.length, atOnce, (place) =>
    fresh(async ({ url, spawnedAt }, client) => {
      const { id: arm, subject } = starting[place];
      const answeredAt = await client.ask('hold', { url, subject, arm, objects: 1 });
      found(SCENARIO.firstCall, arm, 0, [answeredAt - spawnedAt()]);
    }),
  );

  launch.progress(1, 'waking and coming back');
  await fresh(async ({ url, evict, lives }, client) => {
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
  await inTurn(launch.number < shared.updates ? updates.length : 0, atOnce, (place) =>
    fresh(async (server, client) => {
      const { subject, once } = updates[place];
      await client.ask('call', { url: server.url, subject, clients, once });
      await delay(BEFORE_MS);
      expectAnswer('version before the update', await server.version(), 1);
      const endedAt = now();
      await server.kill();
      await server.restart(newVersion);
      const losses = await client.ask('finish', { endedAt, newAt: server.spawnedAt() });
      expectAnswer('version after the update', await server.version(), 2);
      figures.push({ scenario: once ? SCENARIO.updateOnce : SCENARIO.update, arm: subject, ...losses });
    }),
  );
  return { blocks, figures };
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
