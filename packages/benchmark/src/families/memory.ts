import type { ObservedWorker } from '@lumenize/hosts/observed-worker';
import { readMemory, readOpenFiles } from '@lumenize/hosts/process-memory';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import type { ClientProcess } from '../engine/client-process.ts';
import type { Cannot, Extent, Family, Figure, Report } from '../engine/plan.ts';
import { expectAnswer } from '../scenarios/scenario.ts';
import { slopeOf } from '../statistics/summary.ts';
import type { SubjectName } from '../subjects/subject.ts';
import { type ObservedLaunch, observing } from './observed.ts';
import type * as tasks from './start/tasks.ts';

/** The number of connections that are checked at once for an answer. */
const CALLS_AT_ONCE = 50;

const SUBJECTS: readonly SubjectName[] = ['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'];

/**
 * The connections whose memory is measured. "Again" is a subject against itself: a ratio other than 1 comes from the
 * method. "Compressed" means that frames may be compressed, as workerd does by default, unless the subject refuses.
 */
const ARMS = [
  ['lumenize', 'hibernating', ''],
  ['raw', 'hibernating', ''],
  ['lumenize', 'hibernating', ' again'],
  ['lumenize', 'awake', ''],
  ['capnweb', 'awake', ''],
  ['raw', 'awake', ''],
  ['lumenize-accept', 'awake', ''],
  ['raw-accept', 'awake', ''],
  ['raw', 'hibernating', ', compressed'],
  ['capnweb', 'awake', ', compressed'],
] as const;

/** The comparisons: a subject in a state against others in the same state. */
const RATIOS: readonly (readonly [ours: string, theirs: string])[] = [
  ['lumenize hibernating', 'raw hibernating'],
  ['lumenize hibernating', 'lumenize hibernating again'],
  ['lumenize awake', 'raw awake'],
  ['lumenize awake', 'capnweb awake'],
  ['lumenize-accept awake', 'raw-accept awake'],
  ['lumenize-accept awake', 'capnweb awake'],
];

const AWAKE = 'connection/awake';
const HIBERNATING = 'connection/hibernating';
const SCENARIOS = ['process/idle', AWAKE, `${AWAKE}, compressed`, HIBERNATING, `${HIBERNATING}, compressed`];

/** The subjects whose connections never hibernate, and the reasons. */
const NEVER_HIBERNATES: readonly Cannot[] = Object.entries({
  'lumenize-accept': 'hibernation is off',
  capnweb: 'its sessions live in memory, so that an object with an open connection stays there',
  'raw-accept': 'its socket is accepted without hibernation',
}).map(([arm, reason]) => ({ scenario: HIBERNATING, arm, reason }));
const NO_PROC = 'there is no /proc here that says what memory workerd has';

/**
 * The extents: at which numbers of connections memory is measured, ascending; the number of rounds, each with a new
 * workerd for each of its arms; and how many servers run at once. More than one server is only used to check that
 * everything works.
 */
const AMOUNTS = {
  whole: { at: [100, 400, 700, 1000], rounds: 4, budgetMs: 72_000, atOnce: 1 },
  alone: { at: [100, 1000, 2000, 3500, 5000], rounds: 6, budgetMs: 170_000, atOnce: 1 },
  quick: { at: [10, 20], rounds: 1, budgetMs: 72_000, atOnce: 4 },
} as const satisfies Record<Extent, object>;

/** Measures the server's memory for connections. */
export const MEMORY: Family = {
  name: 'memory',
  about: 'resident memory of workerd: idle, and per idle connection, awake and hibernating',
  subjects: SUBJECTS,
  hosts: ['workerd'],
  configuration: [
    'Resident bytes of the workerd process, from /proc, when garbage has been collected; connections of one object, each by the subject’s own client and with a call made; a fresh workerd for each figure of a round',
    'Slope: least squares over the numbers of connections, as many as the machine lets a process have: each takes two file descriptors of workerd, one of the client, and one of the ports that the machine gives out',
    'Hibernating: all objects leave memory with their sockets open (evictAllDurableObjects), which workerd does by itself after ten seconds without a call; that they had left, and that every connection answers, is made sure of',
    'Compression of frames is off but in the rows that say so: workerd offers it unless the Worker has the flag no_web_socket_compression, and it takes about 200 kB of a connection. Lumenize RPC refuses it by itself; of the others, what is compared favours them',
    'A ratio is of bytes in one round, its mean the geometric one: below 1, the subject has less',
  ],
  plan(extent, { subjects }) {
    const wanted = SUBJECTS.filter((each) => subjects?.includes(each) ?? true);
    const amounts = AMOUNTS[extent];
    return {
      places: [{ host: 'workerd', launches: amounts.rounds, atLeast: 3 }],
      ...{ budgetMs: amounts.budgetMs, latestMs: 2 * amounts.budgetMs },
      scenarios: SCENARIOS.map((name) => ({ name })),
      open: observing<typeof tasks>(new URL('./start/tasks.ts', import.meta.url), 'counter', (launch) =>
        round(launch, wanted, amounts),
      ),
    };
  },
};

type Client = ClientProcess<typeof tasks>;

async function round(
  launch: ObservedLaunch<typeof tasks>,
  subjects: readonly SubjectName[],
  { at: connections, atOnce }: (typeof AMOUNTS)[Extent],
): Promise<Report> {
  // The number of files that a process may have open. Servers inherit it.
  const openFilesLimit = (await readOpenFiles(process.pid).catch(() => undefined))?.limit;
  if (openFilesLimit === undefined) {
    const of = [AWAKE, HIBERNATING].flatMap((scenario) => subjects.map((arm) => ({ scenario, arm })));
    return { cannot: of.map((each) => ({ ...each, reason: NO_PROC })) };
  }
  // Each connection takes two files of workerd, which also has other files open.
  const numbers = connections.filter((count) => count <= (openFilesLimit - 200) / 2);
  if (numbers.length < 2) throw new Error(`${openFilesLimit} open files are too few to measure memory with`);
  const figures: Figure[] = [];
  const slopes = new Map<string, number>();

  // Arms that are not compared with others are measured once.
  const arms = ARMS.filter(([, , mark]) => mark !== ', compressed' || launch.number === 0);
  const wanted = arms.filter(([subject]) => subjects.includes(subject));
  const random = seededRandom(launch.seed);

  /**
   * Opens connections to one object, measures the memory at each of the numbers, and checks that all connections are
   * open and asleep.
   */
  const idle = async ([subject, state, mark]: (typeof ARMS)[number], server: ObservedWorker, client: Client) => {
    const name = `${subject} ${state}${mark}`;
    figures.push({ scenario: 'process/idle', arm: 'workerd', unit: 'B', value: await residentIn(server) });
    const sleeps = state === 'hibernating';
    const resident: [number, number][] = [];
    const files: [number, number][] = [];
    for (const count of numbers) {
      await client.ask('hold', { url: server.url, subject, arm: subject, connections: count, objects: 1 });
      if (sleeps) await server.evict();
      resident.push([count, await residentIn(server)]);
      files.push([count, (await readOpenFiles((await server.processId())!)).open]);
    }
    const before = await server.lives();
    const answers = await client.ask('wake', { arm: subject, atOnce: CALLS_AT_ONCE });
    expectAnswer('connections that answer', answers.length, numbers.at(-1));
    expectAnswer('objects made to answer', (await server.lives()) - before, sleeps ? 1 : 0);
    slopes.set(name, slopeOf(resident));
    if (mark === ' again') return;
    const limits = { connections: numbers.at(-1)!, connectionsWanted: connections.at(-1)!, openFilesLimit };
    const points = Object.fromEntries(resident.map(([count, bytes]) => [`residentAt${count}Bytes`, bytes]));
    const of = { scenario: `connection/${state}${mark}`, arm: subject, unit: 'B/connection' };
    const detail = { ...points, openFilesPerConnection: slopeOf(files), ...limits };
    figures.push({ ...of, value: slopeOf(resident), detail });
  };
  await launch.each(shuffled(wanted, random), atOnce, idle, ([, , mark]) => ({ compressed: mark === ', compressed' }));

  const cannot = NEVER_HIBERNATES.filter(({ arm }) => subjects.some((each) => each === arm));
  return { figures: [...figures, ...ratios(slopes)], cannot };
}

/** Returns the resident memory of workerd after collecting garbage. */
async function residentIn(server: ObservedWorker): Promise<number> {
  await server.collect();
  return (await readMemory((await server.processId())!)).residentBytes;
}

/** Compares the slopes of one round with each other. Whatever the machine did meanwhile affected both. */
export function ratios(slopes: ReadonlyMap<string, number>): Figure[] {
  return RATIOS.flatMap(([ours, theirs]) => {
    const bytes = [slopes.get(ours) ?? 0, slopes.get(theirs) ?? 0];
    // If there are so few connections that the noise is larger, the slopes say nothing.
    if (!bytes.every((each) => each > 0)) return [];
    const [arm, state] = ours.split(' ');
    const scenario = `connection/${state}, ratio to ${theirs.split(' ')[0]}`;
    return [{ scenario, arm, unit: 'ratio', value: bytes[0] / bytes[1] }];
  });
}
