import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, connection, type OpenTransport, type Stub } from '@lumenize/rpc';
import { type PresenceTarget, presenceStore } from '@lumenize/state/presence';
import { serveTestWorker } from '../../../../test/support/workerd.ts';

/** What is used here of `test/workerd/room-object.ts`. */
interface Api {
  readonly presence: PresenceTarget<{ cursor: { x: number; y: number } }>;
  births(): number;
  tables(): string[];
}

/** The members that move, and for how long. */
export interface Motion {
  readonly members: number;
  /** Moves of each member in a second. */
  readonly hertz: number;
  readonly seconds: number;
}

/** What was measured while members moved. */
export interface MotionFigures {
  /** Frames that a member has received in a second: the mean, and the most of any member in any second. */
  readonly frames: number;
  readonly mostFrames: number;
  /** Characters that a member has received in a second. */
  readonly characters: number;
  /** Moves of others that each member has seen in a second, of all that there were. */
  readonly seen: number;
  /** Processor time of workerd as a share of one core. */
  readonly processor: number;
  /** Tables in the object's storage. */
  readonly tables: readonly string[];
  /** How often the object was made: at the end of the motion, and when it was asked 14.5 s after the last frame. */
  readonly births: readonly [moved: number, rested: number];
}

const SETTLING_MS = 2000;
/** Before the members look around, which would wake the object. */
const RESTING_MS = 14_500;
const TICKS_A_SECOND = 100;

/** Has members move in one object of a workerd process of its own. */
export async function measureMotion({ members, hertz, seconds }: Motion): Promise<MotionFigures> {
  await using worker = await serveTestWorker();
  const id = await worker.processId();
  const arrivals: number[][] = [];
  let characters = 0;
  const stubs = Array.from({ length: members }, () => {
    const times: number[] = [];
    arrivals.push(times);
    const wrapTransport =
      (open: OpenTransport): OpenTransport =>
      (events, offer) => {
        const received: typeof events.received = (message) => {
          times.push(performance.now());
          characters += message.length;
          events.received(message);
        };
        return open({ ...events, received }, offer);
      };
    return connect<Api>(worker.url('/rooms/room/motion'), { wrapTransport }) as Stub<Api>;
  });
  const stores = stubs.map((stub) => presenceStore<{ cursor: { x: number; y: number } }>(stub.presence));
  let seen = 0;
  const ends = stores.map((store) => {
    let before = store.get().others;
    return store.subscribe(() => {
      const { others } = store.get();
      if (others.length === before.length) seen += others.filter((each, place) => each !== before[place]).length;
      before = others;
    });
  });
  while (stores.some((store) => store.get().others.length < members - 1)) await delay(50);
  await delay(SETTLING_MS);

  const before = await processorMs(id);
  const began = performance.now();
  characters = seen = 0;
  for (const times of arrivals) times.length = 0;
  const timers = stores.map((store, place) =>
    setInterval(() => store.set({ cursor: { x: performance.now() | 0, y: place } }), 1000 / hertz),
  );
  await delay(1000 * seconds);
  for (const timer of timers) clearInterval(timer);
  const took = (performance.now() - began) / 1000;
  const processor = ((await processorMs(id)) - before) / 1000 / took;
  const frames = arrivals.map((times) => times.length);
  const mostFrames = Math.max(...arrivals.map((times) => mostInASecond(times)));
  const [charactersOfAll, seenOfAll] = [characters, seen];

  const [asker] = stubs;
  const moved = await asker.births();
  const tables = await asker.tables();
  await delay(RESTING_MS);
  const rested = await asker.births();
  for (const end of ends) end();
  for (const stub of stubs) connection(stub).close();
  return {
    frames: frames.reduce((sum, each) => sum + each, 0) / members / took,
    mostFrames,
    characters: charactersOfAll / members / took,
    seen: seenOfAll / members / took,
    processor,
    tables,
    births: [moved, rested],
  };
}

/** The most times within any second. */
function mostInASecond(times: readonly number[]): number {
  let most = 0;
  for (let first = 0, end = 0; first < times.length; first++) {
    while (end < times.length && times[end] < times[first] + 1000) end++;
    most = Math.max(most, end - first);
  }
  return most;
}

/** Processor time of a process and its threads, in milliseconds. */
async function processorMs(id: number | undefined): Promise<number> {
  if (id === undefined) return Number.NaN;
  const stat = await readFile(`/proc/${id}/stat`, 'utf8');
  // The name of the command, in parentheses, may have spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return ((Number(user) + Number(system)) * 1000) / TICKS_A_SECOND;
}
