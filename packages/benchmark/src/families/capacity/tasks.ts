import { setTimeout as delay } from 'node:timers/promises';
// The load generator of open loops: a process of its own.
import { type Random, seededRandom, shuffled } from '@lumenize/hosts/random';
import { type Tell, watchHealth } from '../../engine/client-process.ts';
import { SUBJECTS } from '../../subjects/all.ts';
import type { Connection } from '../../subjects/subject.ts';
import { type Cell, Ladder, type LadderReport, recoveredAfterMs, rungOf, type Search } from './ladder.ts';
import { evenArrivals, type Offering, offer, PROCESS_CLOCK, poissonArrivals, WrongAnswer } from './open-loop.ts';

/** Of what a closed loop completes, the part that a first ladder begins with: safely below the knee of most. */
const START_SHARE = 0.6;
/** By so much loads differ around a knee that is known from an earlier ladder. */
const STEP_AROUND_KNEE = 1.12;
/** Of the first overload, what recovery is watched after. */
const OVERLOAD = 1.5;
const PROBE_EVERY_MS = 5;
/** Time between loads, in which both sides may put away what they no longer need. */
const PAUSE_MS = 20;
/** A small row: about a hundred bytes. */
const ROW = 'Ada wrote this line, and as it is to be kept it goes to the disk before anybody is told so.';

/** Climbs all ladders of one launch. */
export async function ladders(search: Search, tell: Tell) {
  const random = seededRandom(search.seed);
  const begun = performance.now();
  const health = watchHealth();
  const found: LadderReport[] = [];
  for (let repeat = 0; repeat < search.repeats; repeat++) {
    for (const cell of shuffled(search.cells, random)) {
      if (repeat > 0 && performance.now() - begun > search.limitMs) break;
      found.push(...(await climb(search, cell, repeat, found, random)));
      tell(found.length);
    }
  }
  return { ladders: found, health: health.end() };
}

/**
 * Climbs the ladders of all arms in one cell. Their rungs take turns, in another order each time, so that a change of the
 * machine's speed falls on all of them. Rejects where an answer is wrong or missing.
 */
async function climb(
  search: Search,
  cell: Cell,
  repeat: number,
  before: readonly LadderReport[],
  random: Random,
): Promise<LadderReport[]> {
  const { scenario, method, objects } = cell;
  const climbers: { arm: string; bench: Bench; ladder: Ladder }[] = [];
  try {
    for (const { id: arm, subject } of shuffled(search.arms, random)) {
      const prefix = [arm, search.seed, repeat, method, objects].join('-');
      const connect = async (_: unknown, i: number) =>
        SUBJECTS[subject].connect(search.url, `${prefix}-${i % objects}`);
      const bench = await openBench(Array.from({ length: search.connections }, connect), cell, random);
      // The first half warms up.
      await bench.closedLoop(search.warmUpMs / 2);
      const start = Math.max(1, START_SHARE * (await bench.closedLoop(search.warmUpMs / 2)));
      const known = before.find((each) => each.scenario === scenario && each.arm === arm)?.kneePerSecond;
      const around = known === undefined ? { start } : { start: known, step: STEP_AROUND_KNEE };
      climbers.push({ arm, bench, ladder: new Ladder({ ...search.ladder, ...around }) });
    }
    for (let open = climbers; open.length > 0; open = open.filter(({ ladder }) => ladder.next() !== undefined)) {
      for (const { bench, ladder } of shuffled(open, random)) {
        const perSecond = ladder.next()!;
        const { answered } = bench.offer(poissonArrivals(perSecond, search.rungMs, random), search.rungMs);
        ladder.record(rungOf(perSecond, search.rungMs, await answered));
        await delay(PAUSE_MS);
      }
    }
    const reports: LadderReport[] = [];
    for (const { arm, bench, ladder } of shuffled(climbers, random)) {
      const kneePerSecond = ladder.knee?.offeredPerSecond;
      const firstOverloadPerSecond = ladder.firstOverload?.offeredPerSecond;
      const isWatched = repeat === 0 && search.probeMs > 0 && firstOverloadPerSecond !== undefined;
      const recovery = isWatched ? await recover(bench, OVERLOAD * firstOverloadPerSecond, search, random) : {};
      reports.push({ scenario, arm, repeat, kneePerSecond, firstOverloadPerSecond, rungs: ladder.rungs, ...recovery });
      await bench.verify();
    }
    return reports;
  } finally {
    for (const { bench } of climbers) bench.close();
    await delay(PAUSE_MS);
  }
}

/** Overloads an arm and watches it from the end of that on, while it still works on what it was left with. */
async function recover(bench: Bench, offered: number, { rungMs, probeMs }: Search, random: Random) {
  const perSecond = Number(offered.toPrecision(3));
  const offering = bench.offer(poissonArrivals(perSecond, rungMs, random), rungMs);
  await offering.offered;
  const probes = bench.offer(evenArrivals(PROBE_EVERY_MS, Math.ceil(probeMs / PROBE_EVERY_MS)), probeMs);
  const [times, { latenciesMs }] = await Promise.all([offering.answered, probes.answered]);
  const overload = rungOf(perSecond, rungMs, times);
  // From a load that turned out to be none too many there is nothing to recover.
  if (overload.reasons.length === 0) return { overload };
  return { overload, recoveredAfterMs: recoveredAfterMs(latenciesMs, PROBE_EVERY_MS) };
}

/** The connections of one arm to fresh objects, and a count of what was called over them. */
type Bench = Awaited<ReturnType<typeof openBench>>;

/** Opens connections, the first of them to one object each, and makes a call over each. */
async function openBench(connecting: readonly Promise<Connection>[], { method, objects }: Cell, random: Random) {
  const open = await Promise.all(connecting);
  await Promise.all(open.map(({ lines }) => lines!.noop()));
  let answered = 0;
  let failed = 0;
  const call = async ({ lines }: Connection) => {
    try {
      // JSON has no undefined.
      const answer = method === 'insert' ? await lines!.insert(ROW) : ((await lines!.noop()) ?? undefined);
      if (answer !== (method === 'insert' ? 1 : undefined)) throw new WrongAnswer(`${method} gave ${String(answer)}`);
      answered++;
    } catch (error) {
      failed++;
      throw error;
    }
  };
  return {
    /** Offers a schedule over all connections: each arrival takes one at random, as independent clients would. */
    offer(arrivalsMs: Float64Array, durationMs: number): Offering {
      const chosen = Uint16Array.from(arrivalsMs, () => Math.floor(random() * open.length));
      return offer(arrivalsMs, durationMs, (arrival) => call(open[chosen[arrival]]), PROCESS_CLOCK);
    },
    /** Has one call in flight on each connection for `durationMs`; resolves with calls per second. */
    async closedLoop(durationMs: number): Promise<number> {
      const begun = performance.now();
      const before = answered;
      const loop = async (connection: Connection) => {
        while (performance.now() < begun + durationMs) await call(connection);
      };
      await Promise.all(open.map(loop));
      return (1000 * (answered - before)) / (performance.now() - begun);
    },
    /** Throws unless each row that was answered is there, and no other but of calls that failed. */
    async verify(): Promise<void> {
      if (method !== 'insert') return;
      const rows = await Promise.all(open.slice(0, objects).map(({ lines }) => lines!.rows()));
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
