import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import { runBlock } from '../src/blocks/block.ts';
import { gather } from '../src/engine/gather.ts';
import { CAPACITY, reportOf } from '../src/families/capacity/capacity.ts';
import type { LadderReport, OverloadReason, Rung } from '../src/families/capacity/ladder.ts';
import { incrementClosedLoop, THROUGHPUT_SCENARIOS } from '../src/scenarios/counter.ts';
import { compare } from '../src/statistics/comparison.ts';
import { COMPARED } from '../src/subjects/arms.ts';
import { type Faults, localSubject } from './support/local-subject.ts';
import { measureQuickly, namesOf } from './support/quickly.ts';

const SUBJECTS = ['lumenize', 'capnweb', 'raw', 'capnweb-plain', 'raw-plain'];
const SCENARIO = 'capacity/noop-1-object';

function rung(offeredPerSecond: number, reasons: OverloadReason[] = [], completedPerSecond = offeredPerSecond): Rung {
  const counts = { errors: 0, completedShare: 1, lateShare: 0, latestMs: 0.1 };
  return { offeredPerSecond, completedPerSecond, ...counts, p50Ms: 0.5, p99Ms: 4, maxMs: 9, reasons };
}

function ladder(arm: string, knee: number | undefined): LadderReport {
  const overload = rung(2 * (knee ?? 50), ['backlog', 'p99'], 1.25 * (knee ?? 50));
  return {
    ...{ scenario: SCENARIO, arm, firstOverloadPerSecond: overload.offeredPerSecond },
    ...(knee === undefined ? { rungs: [overload] } : { kneePerSecond: knee, rungs: [rung(knee), overload] }),
  };
}

describe('the ratios of capacity', () => {
  const launches = [0, 1, 2, 3, 4, 5].map((launch) => [
    ladder('lumenize', 1500 + launch),
    ladder('lumenize-again', 1500 + (launch % 3)),
    ladder('capnweb', 1000 + launch),
    ladder('raw', 2000),
  ]);
  const compared = (of: readonly LadderReport[][]) => {
    const blocks = of.map((ladders) => reportOf(ladders).blocks!);
    const all = compare('workerd', blocks, [SCENARIO], seededRandom(1), COMPARED);
    return all.map(({ baseline, ratio, verdict, rounds }) => [baseline, ratio.toFixed(2), verdict, rounds]);
  };

  it('are above 1 where the subject carries more, and have a verdict from six launches up', () => {
    expect(compared(launches)).toEqual([
      ['lumenize', '1.00', 'no difference shown', 6],
      ['capnweb', '1.50', 'faster', 6],
      ['raw', '0.75', 'slower', 6],
    ]);
    // Ladders without a knee are left out.
    launches[0].splice(2, 1, ladder('capnweb', undefined));
    const [lumenize, capnweb] = compared(launches);
    expect([lumenize[2], capnweb[2], capnweb[3]]).toEqual(['no difference shown', 'no conclusion', 5]);
  });
});

describe('the rows of capacity', () => {
  const rowsOf = (...launches: LadderReport[][]) => {
    const reports = launches.map((ladders) => reportOf(ladders));
    const plan = { scenarios: [{ name: SCENARIO }], compared: COMPARED };
    return gather({ family: 'capacity', host: 'workerd', subjects: SUBJECTS, plan, reports, wire: [] });
  };

  it('have the knee, and what was completed beyond it', () => {
    const first = ladder('lumenize', 1000);
    const climbed = { ...first, rungs: [...first.rungs, rung(3000, ['backlog', 'generator'], 1700)] };
    const rows = rowsOf([climbed, ladder('lumenize-again', 900)], [ladder('lumenize', 1200)]);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ subject: 'lumenize', unit: 'calls/s', value: 1100, n: 2 });
    expect(rows[0].detail).toMatchObject({
      ...{ firstOverloadPerSecond: 2200, peakPerSecond: 1600, p50Ms: 0.5, p99Ms: 4 },
      ...{ overloads: 1.5, overloadsOfGenerator: 0.5 },
    });
  });

  it('say where no load was within the objective', () => {
    const [never, once] = rowsOf([ladder('capnweb', undefined), ladder('raw', 900)], [ladder('raw', undefined)]);
    expect(never).toMatchObject({ subject: 'capnweb', cannot: 'no load was within the objective' });
    expect(never.value).toBeUndefined();
    expect(once).toMatchObject({ subject: 'raw', value: 900, cannot: 'no load was within the objective' });
  });
});

it('a closed loop has just so many calls in flight on each of so many connections, and closes them', async () => {
  let [inFlight, most, mostOfOne] = [0, 0, 0];
  const counter: Faults['counter'] = (state) => {
    let own = 0;
    return {
      async increment() {
        most = Math.max(most, ++inFlight);
        mostOfOne = Math.max(mostOfOne, ++own);
        await new Promise(setImmediate);
        inFlight--;
        own--;
        return ++state.value;
      },
    };
  };
  const { subject, state } = localSubject({ counter });
  expect((await runBlock(incrementClosedLoop(5, 3, 100), subject, 'http://nowhere', 'a')).samplesMs).toHaveLength(100);
  expect({ ...state, most, mostOfOne }).toMatchObject({ value: 100, open: 0, opened: 5, most: 15, mostOfOne: 3 });
});

describe('the family capacity', { timeout: 120_000 }, () => {
  it('is narrowed to some hosts, of which wrangler dev has closed loops only', () => {
    const plan = CAPACITY.plan('whole', { hosts: ['wrangler-dev'] });
    expect(plan).toMatchObject({ places: [{ host: 'wrangler-dev', launches: 3 }] });
  });

  it('climbs a ladder of every subject with both methods and has every closed loop on workerd', async () => {
    const { rows, comparisons, extras, launches } = await measureQuickly(CAPACITY);
    const cells = ['capacity/noop-1-object', 'capacity/insert-2-objects'];
    const loops = THROUGHPUT_SCENARIOS.flatMap(({ name }) =>
      (/x1$/.test(name) ? SUBJECTS : ['lumenize']).map((subject) => `${name} ${subject}`),
    );
    expect(namesOf(rows)).toEqual([
      ...cells.flatMap((cell) => SUBJECTS.map((subject) => `${cell} ${subject}`)),
      ...loops,
    ]);
    const [{ ladders }] = extras as { ladders: LadderReport[] }[];
    expect(ladders).toHaveLength(cells.length * SUBJECTS.length);
    for (const { rungs } of ladders) {
      expect(rungs.length).toBeGreaterThanOrEqual(2);
      for (const { errors } of rungs) expect(errors).toBe(0);
    }
    // One ladder and one block each: nothing has a spread.
    expect(comparisons).toEqual([]);
    expect(launches[0].health!.utilization).toBeGreaterThan(0);
  });
});
