// The load generator of open and closed loops: a process of its own.
import { setTimeout as delay } from 'node:timers/promises';
import { type Random, seededRandom, shuffled } from '@lumenize/hosts/random';
import { watchHealth } from '../../engine/client-process.ts';
import { SUBJECTS } from '../../subjects/all.ts';
import type { Connection } from '../../subjects/subject.ts';
import { type Cell, Ladder, type LadderReport, rungOf, type Search } from './ladder.ts';
import { type OpenLoopTimes, offer, PROCESS_CLOCK, poissonArrivals, WrongAnswer } from './open-loop.ts';

export { blocks } from '../../blocks/client.ts';

/** The share of a closed loop's rate that a ladder begins with. It is safely below the knee in most cases. */
const START_SHARE = 0.6;
/** The pause between loads, in which both sides may release what they no longer need. */
const PAUSE_MS = 20;
/** A small row of about a hundred bytes. */
const ROW = 'Ada wrote this line, and as it is to be kept it goes to the disk before anybody is told so.';

/** Climbs the ladders of one launch, cell after cell. */
export async function ladders(search: Search) {
  const random = seededRandom(search.seed);
  const health = watchHealth();
  const found: LadderReport[] = [];
  for (const cell of shuffled(search.cells, random)) found.push(...(await climb(search, cell, random)));
  return { ladders: found, health: health.end() };
}

/**
 * Climbs the ladders of all arms in one cell. Their rungs take turns, in a new order each time, so that a change of the
 * machine's speed affects all of them. Rejects if an answer is wrong or missing.
 */
async function climb(search: Search, cell: Cell, random: Random): Promise<LadderReport[]> {
  const { scenario, method, objects } = cell;
  const climbers: { arm: string; bench: Bench; ladder: Ladder }[] = [];
  try {
    for (const { id: arm, subject } of shuffled(search.arms, random)) {
      const prefix = [arm, search.seed, method, objects].join('-');
      const connect = async (_: unknown, i: number) =>
        SUBJECTS[subject].connect(search.url, `${prefix}-${i % objects}`);
      const bench = await openBench(Array.from({ length: search.connections }, connect), cell, random);
      // The first half warms up.
      await bench.closedLoop(search.warmUpMs / 2);
      const start = Math.max(1, START_SHARE * (await bench.closedLoop(search.warmUpMs / 2)));
      climbers.push({ arm, bench, ladder: new Ladder({ ...search.ladder, start }) });
    }
    for (let open = climbers; open.length > 0; open = open.filter(({ ladder }) => ladder.next() !== undefined)) {
      for (const { bench, ladder } of shuffled(open, random)) {
        const perSecond = ladder.next()!;
        ladder.record(rungOf(perSecond, search.rungMs, await bench.offer(perSecond, search.rungMs)));
        await delay(PAUSE_MS);
      }
    }
    for (const { bench } of climbers) await bench.verify();
    return climbers.map(({ arm, ladder: { knee, firstOverload, rungs } }) => ({
      ...{ scenario, arm, rungs, kneePerSecond: knee?.offeredPerSecond },
      firstOverloadPerSecond: firstOverload?.offeredPerSecond,
    }));
  } finally {
    for (const { bench } of climbers) bench.close();
    await delay(PAUSE_MS);
  }
}

/** The connections of one arm to new objects, with a count of its calls. */
type Bench = Awaited<ReturnType<typeof openBench>>;

/** Opens connections, the first of them to one object each, and makes a call over each. */
async function openBench(connecting: readonly Promise<Connection>[], { method, objects }: Cell, random: Random) {
  const open = await Promise.all(connecting);
  await Promise.all(open.map(({ work }) => work.noop()));
  let answered = 0;
  let failed = 0;
  const call = async ({ work }: Connection) => {
    try {
      // JSON has no undefined.
      const answer = method === 'insert' ? await work.insert(ROW) : ((await work.noop()) ?? undefined);
      if (answer !== (method === 'insert' ? 1 : undefined)) throw new WrongAnswer(`${method} gave ${String(answer)}`);
      answered++;
    } catch (error) {
      failed++;
      throw error;
    }
  };
  return {
    /** Offers a load over all connections. Each arrival uses a random one, like independent clients. */
    offer(perSecond: number, durationMs: number): Promise<OpenLoopTimes> {
      const arrivalsMs = poissonArrivals(perSecond, durationMs, random);
      const chosen = Uint16Array.from(arrivalsMs, () => Math.floor(random() * open.length));
      return offer(arrivalsMs, durationMs, (arrival) => call(open[chosen[arrival]]), PROCESS_CLOCK);
    },
    /** Keeps one call in flight on each connection for `durationMs`. Resolves with calls per second. */
    async closedLoop(durationMs: number): Promise<number> {
      const begun = performance.now();
      const before = answered;
      const loop = async (connection: Connection) => {
        while (performance.now() < begun + durationMs) await call(connection);
      };
      await Promise.all(open.map(loop));
      return (1000 * (answered - before)) / (performance.now() - begun);
    },
    /** Throws unless every answered row is stored, and no other rows except those of failed calls. */
    async verify(): Promise<void> {
      if (method !== 'insert') return;
      const rows = await Promise.all(open.slice(0, objects).map(({ work }) => work.rows()));
      const sum = rows.reduce((a, b) => a + b, 0);
      if (sum < answered || sum > answered + failed) {
        throw new Error(`there are ${sum} rows after ${answered} inserts, and ${failed} that failed`);
      }
    },
    close(): void {
      for (const connection of open) connection.close();
    },
  };
}
