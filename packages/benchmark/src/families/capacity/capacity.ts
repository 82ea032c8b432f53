import { WORK_WORKER } from '@lumenize/hosts/worker-config';
import { planBlocks } from '../../blocks/blocks.ts';
import type { Block, Cannot, Extent, Family, Figure, Report } from '../../engine/plan.ts';
import { THROUGHPUT_SCENARIOS } from '../../scenarios/counter.ts';
import { armsOf, CONTROL, PLAIN_ARMS } from '../../subjects/arms.ts';
import { LATE_MS, type LadderReport, OBJECTIVE, SEARCH, SHORTEST } from './ladder.ts';
import type * as tasks from './tasks.ts';

const TASKS = new URL('./tasks.ts', import.meta.url);
const HOSTS = ['workerd', 'wrangler-dev'] as const;
const ARMS = [...armsOf('lumenize', 'capnweb', 'raw'), ...PLAIN_ARMS];
const SUBJECTS: readonly string[] = ARMS.map(({ id }) => id);

/** The extent: every launch has closed loops, and the last launches also have ladders. */
const WHOLE = {
  ...{ ...SEARCH, launches: 3, ladderLaunches: 1 },
  /**
   * The time limit of the closed loops of a launch. No launch is begun that would probably end later than `latestMs`.
   */
  ...{ closedLimitMs: 25_000, latestMs: 200_000 },
  /** The maximum rounds of closed loops with one call in flight, with eight, and with other numbers. */
  rounds: [6, 3, 1],
};

/**
 * The extents. At 2800 calls a second, about the rate of durable writes of one object, each subject has 30 s with one
 * call in flight when measured alone, and 6 s in the full run. A verdict on ladders takes six launches with ladders. A
 * single one has no verdict that could be trusted or not.
 */
const AMOUNTS: Readonly<Record<Extent, typeof WHOLE>> = {
  alone: { ...WHOLE, launches: 6, ladderLaunches: 6, closedLimitMs: 30_000, latestMs: 600_000, rounds: [14, 4, 2] },
  whole: WHOLE,
  quick: { ...WHOLE, ...SHORTEST, launches: 1 },
};

/** Measures the load that is carried: in open loops, and with connections that wait for their answers. */
export const CAPACITY: Family = {
  name: 'capacity',
  about: 'how many calls per second are carried: knees of open loops, and 20 connections in closed ones',
  subjects: SUBJECTS,
  hosts: HOSTS,
  configuration: [
    `Open loop on workerd: Poisson arrivals for ${SEARCH.rungMs} ms a load over ${SEARCH.connections} connections of each subject, each call in a turn of its own and timed from its scheduled moment`,
    `Knee: the highest load with a p99 within ${OBJECTIVE.p99Ms} ms and ${100 * OBJECTIVE.completedShare} % of the calls offered completed in time, without an error; a load that misses by its p99 alone is offered once more. A ratio is of knees, the subject’s over the baseline’s`,
    'Methods: noop() does nothing; insert() writes a row of about 90 bytes by ctx.storage.sql and is answered when it is durable; one class for all subjects; rows are counted at the end',
    'Closed loop: 20 connections to one counter, each with 1, 2, 4, 8 or 16 increment() in flight; a caller calls again when it has its answer; the answers’ sum and the counter are verified after each block',
    'Calls of open loops come in turns of their own, so that Lumenize RPC finds few to put into one frame, which favours the others; its sockets are not compressed, those of Cap’n Web and raw JSON are, as Workers do by default: capnweb-plain and raw-plain turn that off',
    `The load generator is one process on the machine of the server, and a subject’s own client works in it: where more than 1 % of the arrivals of an overload were sent later than ${LATE_MS} ms, its reasons name the generator`,
  ],
  plan(extent, { subjects = SUBJECTS, hosts = ['workerd'] }) {
    const { launches, ladderLaunches, closedLimitMs: limitMs, latestMs, rounds, ...search } = AMOUNTS[extent];
    const scenarios = THROUGHPUT_SCENARIOS.map(({ name: scenario }) => {
      const place = ['x1', 'x8'].findIndex((most) => scenario.endsWith(most));
      return { scenario, arms: [...ARMS, CONTROL], rounds: rounds.at(place)!, leading: place < 0 ? 1 : 2 };
    });
    const arms = [...ARMS, CONTROL].filter(({ subject }) => subjects.includes(subject));
    // With one ladder per arm there is no ratio, and so no need for an A/A arm.
    const climbing = ladderLaunches === 1 ? arms.filter(({ id }) => id !== CONTROL.id) : arms;
    const closed = planBlocks<typeof tasks>(
      {
        ...{ worker: WORK_WORKER, client: TASKS, latestMs: latestMs * hosts.length },
        places: HOSTS.map((host) => ({ host, launches, limitMs, scenarios })),
        async first({ host, number, seed }, url, client) {
          if (host !== 'workerd' || number < launches - ladderLaunches) return {};
          const extra = await client.ask('ladders', { ...search, arms: climbing, url, seed });
          return { ...reportOf(extra.ladders), extra };
        },
      },
      extent,
      { subjects, hosts },
    );
    return { ...closed, scenarios: [...search.cells.map(({ scenario: name }) => ({ name })), ...closed.scenarios] };
  },
};

/** Converts ladders to figures and ratios. A ladder without a knee has neither. */
export function reportOf(ladders: readonly LadderReport[]): Report {
  const figures: Figure[] = [];
  const blocks: Block[] = [];
  const cannot: Cannot[] = [];
  for (const { scenario, arm, kneePerSecond: value, firstOverloadPerSecond, rungs } of ladders) {
    const of = { scenario, arm };
    if (value === undefined) {
      cannot.push({ ...of, reason: 'no load was within the objective' });
      continue;
    }
    // The time of one call in ms. Baseline over subject is then the subject's knee over the baseline's.
    blocks.push({ ...of, round: 0, pass: 0, totalMs: 1000 / value });
    // For a load that was offered twice, the rung by which it was judged.
    const knee = rungs.findLast(({ offeredPerSecond }) => offeredPerSecond === value)!;
    const beyond = rungs.filter(({ reasons }) => reasons.length > 0);
    const detail = {
      ...{ p50Ms: knee.p50Ms, p99Ms: knee.p99Ms, lateShare: knee.lateShare, overloads: beyond.length },
      overloadsOfGenerator: beyond.filter(({ reasons }) => reasons.includes('generator')).length,
      ...(firstOverloadPerSecond !== undefined && { firstOverloadPerSecond }),
      ...(beyond.length > 0 && { peakPerSecond: Math.max(...beyond.map((rung) => rung.completedPerSecond)) }),
    };
    if (arm !== CONTROL.id) figures.push({ ...of, unit: 'calls/s', value, detail });
  }
  return { figures, blocks, cannot };
}
