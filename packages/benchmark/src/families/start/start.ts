import { bundleTasks } from '../../engine/bundle.ts';
import type { Extent, Family } from '../../engine/plan.ts';
import type { Sample } from '../../engine/row.ts';
import { COMPARED, CONTROL, MAIN_ARMS, PLAIN_ARMS } from '../../subjects/arms.ts';
import { observedWorker } from '../observed.ts';
import { importLaunch, SCENARIO, startLaunch, USUAL } from './launch.ts';

const { newSession, resume, updateOnce, wake } = SCENARIO;
const HOSTS = ['workerd', 'node'] as const;
const SUBJECTS: readonly string[] = [...MAIN_ARMS, ...PLAIN_ARMS].map(({ id }) => id);

/** What a sample times, by what scenarios begin with. @default a call */
const SAMPLES: Readonly<Record<string, Sample>> = { import: 'operation', start: 'connection', reconnect: 'connection' };

const IN_MEMORY = 'an object with an open connection of it stays in memory';
const BY_HAND = `the application hears of it by onRpcBroken, opens a session, gets its stubs anew and repeats its calls, as ${newSession} does`;
const NOBODY = `nobody wrote a reconnection; the nearest thing is ${newSession}`;

/** Who cannot do what, and why. */
const CANNOT: readonly (readonly [scenario: string, arm: string, reason: string])[] = [
  [wake, 'capnweb', `it cannot hibernate: ${IN_MEMORY}`],
  [wake, 'lumenize-accept', `hibernation is off: ${IN_MEMORY}`],
  [wake, 'raw-accept', `its socket does not hibernate: ${IN_MEMORY}`],
  [resume, 'capnweb', `it does not reconnect: ${BY_HAND}`],
  [resume, 'raw', NOBODY],
  [resume, 'raw-accept', NOBODY],
  [updateOnce, 'capnweb', 'calls in flight reject, and it does not make them again'],
  [updateOnce, 'raw', 'calls in flight reject, and nobody wrote how they are made again'],
];

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
    const cannot = CANNOT.filter(([, arm]) => subjects.includes(arm));
    return {
      places: places.filter(({ host }) => hosts.includes(host)),
      ...{ budgetMs, latestMs: 2 * budgetMs },
      scenarios: Object.values(SCENARIO).map((name) => ({ name, sample: SAMPLES[name.split('/')[0]] ?? 'call' })),
      compared: COMPARED,
      async open(directory) {
        const arms = [...MAIN_ARMS, ...PLAIN_ARMS, CONTROL].filter(({ subject }) => subjects.includes(subject));
        const bundle = await bundleTasks(new URL('./tasks.ts', import.meta.url), directory);
        const shared = { ...amounts, arms, bundle, serve: await observedWorker(directory) };
        return async (launch) => {
          if (launch.host === 'node') return importLaunch(launch, shared);
          const report = await startLaunch(launch, shared);
          return { ...report, cannot: cannot.map(([scenario, arm, reason]) => ({ scenario, arm, reason })) };
        };
      },
    };
  },
};
