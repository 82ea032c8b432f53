import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { mean } from 'simple-statistics';
import type { Arm, Block, Cannot, Extent, Family, Figure, Report } from '../../engine/plan.ts';
import type { Sample } from '../../engine/row.ts';
import { expectAnswer } from '../../scenarios/scenario.ts';
import { COMPARED, CONTROL, MAIN_ARMS, PLAIN_ARMS } from '../../subjects/arms.ts';
import { IN_MEMORY, type SubjectName } from '../../subjects/subject.ts';
import { type ObservedLaunch, observing } from '../observed.ts';
import type * as tasks from './tasks.ts';
import { now } from './tasks.ts';

/** The scenarios, in the order of tables. */
const SCENARIO = {
  firstCall: 'start/first-call',
  wake: 'wake/first-result',
  newSession: 'reconnect/new-session',
  resume: 'reconnect/resumed',
  updateOnce: 'update/increments, exactly once',
  update: 'update/increments',
} as const;

/** How long clients call before their code is replaced, in milliseconds. */
const BEFORE_MS = 100;

const { newSession, resume, updateOnce, wake } = SCENARIO;
const SUBJECTS: readonly string[] = [...MAIN_ARMS, ...PLAIN_ARMS].map(({ id }) => id);

/** Names the unit of work that a sample times, by the beginning of the scenario's name. @default a call */
const SAMPLES: Readonly<Record<string, Sample>> = { start: 'connection', reconnect: 'connection' };

const BY_HAND = `the application hears of it by onRpcBroken, opens a session, gets its stubs anew and repeats its calls, as ${newSession} does`;
const NOBODY = `nobody wrote a reconnection; the nearest thing is ${newSession}`;

/** The subjects that cannot do something, and the reasons. */
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

/**
 * The extents: the number of launches; in how many of them the code is replaced, and under how many calling clients;
 * the rounds of a launch, with the objects that hibernate and wake and the connections that are cut; and how many
 * servers run at once. More than one server is only used to check that everything works.
 */
const AMOUNTS = {
  alone: { launches: 14, updates: 8, clients: 50, rounds: 3, objects: 20, cuts: 4, atOnce: 1, budgetMs: 165_000 },
  whole: { launches: 6, updates: 3, clients: 50, rounds: 3, objects: 20, cuts: 4, atOnce: 1, budgetMs: 70_000 },
  quick: { launches: 1, updates: 1, clients: 5, rounds: 1, objects: 2, cuts: 1, atOnce: 3, budgetMs: 60_000 },
} as const satisfies Record<Extent, object>;

/** Measures the time until an answer: the first, after sleep, after a loss, and after new code. */
export const START: Family = {
  name: 'start',
  about: 'start to first call, waking, reconnecting, and new code under clients that call',
  subjects: SUBJECTS,
  hosts: ['workerd'],
  configuration: [
    'Start to first call: from the start of a workerd process with empty storage to the answer of getValue over a fresh connection of a client that has run nothing yet',
    'Waking: getValue of objects that had left memory with their sockets open (evictAllDurableObjects), which is made sure of',
    'Coming back: a proxy in the client resets a connection just before a call. “resumed” is that call, of getValue, by a client that reconnects by itself after a random wait of up to 250 ms; “new-session” is what a user does whose client does not, as if he had noticed at once, which favours it: a new connection and its first getValue',
    'New code: workerd is killed and started with another version of the Worker on the same port and storage while 50 clients increment one counter, each one call after the other; clients that do not reconnect open connections every 20 ms until one answers, and do not repeat what they lost',
  ],
  plan(extent, { subjects = SUBJECTS }) {
    const { launches, budgetMs, ...amounts } = AMOUNTS[extent];
    const arms = [...MAIN_ARMS, ...PLAIN_ARMS, CONTROL].filter(({ subject }) => subjects.includes(subject));
    return {
      places: [{ host: 'workerd', launches, atLeast: 3 }],
      ...{ budgetMs, latestMs: 2 * budgetMs },
      scenarios: Object.values(SCENARIO).map((name) => ({ name, sample: SAMPLES[name.split('/')[0]] ?? 'call' })),
      compared: COMPARED,
      open: observing<typeof tasks>(new URL('./tasks.ts', import.meta.url), 'counter', (launch) =>
        startLaunch(launch, arms, amounts),
      ),
    };
  },
};

/** Starts servers, lets objects sleep and wake, cuts connections, and replaces code. */
async function startLaunch(
  launch: ObservedLaunch<typeof tasks>,
  arms: readonly Arm<SubjectName>[],
  {
    rounds,
    objects,
    cuts: times,
    clients,
    atOnce,
    updates: updated,
  }: Omit<(typeof AMOUNTS)[Extent], 'launches' | 'budgetMs'>,
): Promise<Report> {
  const random = seededRandom(launch.seed);
  const blocks: Block[] = [];
  const figures: Figure[] = [];
  const found = (...block: Parameters<typeof blockOf>) => void blocks.push(blockOf(...block));

  const starting = shuffled(arms, random).filter((arm) => !PLAIN_ARMS.some(({ id }) => id === arm.id));
  await launch.each(starting, atOnce, async ({ id: arm, subject }, { url, spawnedAt }, client) => {
    const answeredAt = await client.ask('hold', { url, subject, arm, connections: 1, objects: 1 });
    found(SCENARIO.firstCall, arm, 0, [answeredAt - spawnedAt()]);
  });

  await launch.each([arms], 1, async (_, { url, evict, lives }, client) => {
    const hibernating = arms.filter(({ subject }) => ['lumenize', 'raw', 'raw-plain'].includes(subject));
    const resuming = arms.filter(({ id, subject }) => id === subject && subject.startsWith('lumenize'));
    for (const { id: arm, subject } of hibernating)
      await client.ask('hold', { url, subject, arm, connections: objects, objects });
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

  // Increments that are declared to run exactly once come last, because only one subject supports them.
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

/** Returns a block of these samples. There are few of them, and their mean is compared. */
function blockOf(scenario: string, arm: string, round: number, samplesMs: readonly number[]): Block {
  return { scenario, arm, round, pass: 0, totalMs: mean([...samplesMs]), samplesMs };
}

function newVersion(bundle: string): string {
  const changed = bundle.replaceAll('OBSERVED_VERSION = 1', 'OBSERVED_VERSION = 2');
  if (changed === bundle) throw new Error('the bundle has no version');
  return changed;
}
