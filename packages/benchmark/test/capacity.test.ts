import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import { gatherCapacity, kneesAsTimes } from '../src/capacity/gather.ts';
import type { OverloadReason, Rung } from '../src/capacity/load/rung.ts';
import type { CapacityReport, LadderReport } from '../src/capacity/plan.ts';
import { capacityProfile } from '../src/capacity/profile.ts';
import { capacityTables } from '../src/capacity/tables.ts';
import { CAPACITY } from '../src/families/capacity.ts';
import type { FamilyContext } from '../src/families/family.ts';
import { compare } from '../src/statistics/comparison.ts';

const CONTEXT: FamilyContext = { extent: 'quick', seed: 1, progress: { start() {}, update() {}, stop() {} } };
const SUBJECTS = ['lumenize', 'capnweb', 'capnweb-plain', 'raw', 'raw-plain'];
const SCENARIO = 'capacity/noop-1-object';

function rung(offeredPerSecond: number, reasons: OverloadReason[] = [], completedPerSecond = offeredPerSecond): Rung {
  const counts = { arrivals: 400, errors: 0, completedShare: 1, lateShare: 0, latestMs: 0.1 };
  return { offeredPerSecond, completedPerSecond, ...counts, p50Ms: 0.5, p99Ms: 4, maxMs: 9, reasons };
}

function ladder(arm: string, knee: number | undefined, changes: Partial<LadderReport> = {}): LadderReport {
  const overload = rung(2 * (knee ?? 50), ['backlog', 'p99'], 1.25 * (knee ?? 50));
  return {
    ...{ scenario: SCENARIO, arm, repeat: 0, firstOverloadPerSecond: overload.offeredPerSecond },
    ...(knee === undefined ? { rungs: [overload] } : { kneePerSecond: knee, rungs: [rung(knee), overload] }),
    ...changes,
  };
}

function report(...ladders: LadderReport[]): CapacityReport {
  return { ladders, client: { utilization: 1, delayP99Ms: 1, delayMaxMs: 2 } };
}

const search = {
  ...capacityProfile({ ...CONTEXT, extent: 'alone' }),
  cells: [{ method: 'noop', objects: 1 } as const],
};

describe('the ratios of capacity', () => {
  const launches = [0, 1, 2].map((launch) =>
    report(
      ...[0, 1].flatMap((repeat) => [
        ladder('lumenize', 1500 + launch + repeat, { repeat }),
        ladder('lumenize-again', 1500 + launch, { repeat }),
        ladder('capnweb', 1000 + launch, { repeat }),
        ladder('raw', 2000, { repeat }),
      ]),
    ),
  );
  const compared = (reports: readonly CapacityReport[]) =>
    compare('workerd', reports.map(kneesAsTimes), [SCENARIO], seededRandom(1));

  it('are above 1 where the subject carries more, and have a verdict from three launches with two ladders up', () => {
    const shown = compared(launches).map(({ baseline, ratio, verdict }) => [baseline, ratio.toFixed(2), verdict]);
    expect(shown).toEqual([
      ['lumenize', '1.00', 'no difference shown'],
      ['capnweb', '1.50', 'faster'],
      ['raw', '0.75', 'slower'],
    ]);
    for (const { verdict } of compared(launches.slice(1))) expect(verdict).toBe('no conclusion');
  });

  it('leave ladders without a knee out', () => {
    const [first, ...others] = launches;
    const without = { ...first, ladders: [...first.ladders.slice(0, 2), ladder('capnweb', undefined)] };
    const against = compared([without, ...others]).find(({ baseline }) => baseline === 'capnweb')!;
    expect(against).toMatchObject({ launches: 2, rounds: 4, verdict: 'no conclusion' });
  });
});

describe('the table of capacity', () => {
  const recovery = { overload: rung(3000, ['backlog'], 1700), recoveredAfterMs: 125 };
  const results = gatherCapacity(search, [
    report(ladder('lumenize', 1000, { recovery }), ladder('capnweb', undefined), ladder('raw', 900)),
    report(ladder('lumenize', 1200), ladder('capnweb', undefined), ladder('raw', 900)),
  ]);

  it('has medians over ladders, the most that was completed beyond capacity, and how long an overload was felt', () => {
    expect(results[0]).toMatchObject({ subject: 'lumenize', kneePerSecond: 1100, firstOverloadPerSecond: 2200 });
    expect(results[0]).toMatchObject({ peakCompletedPerSecond: 1700, recoveredAfterMs: 125 });
    expect(results[0].ladders.map(({ launch, rungs }) => [launch, rungs.length])).toEqual([
      [0, 2],
      [1, 2],
    ]);
    const cells = capacityTables(results)
      .split('\n')
      .map((line) => line.split('│').map((cell) => cell.trim()));
    expect(cells[0]).toEqual(['a call that does nothing, one object: calls per second']);
    const expected = ['lumenize', '2', '1100', '1000–1200', '0.500', '4.000', '2200', 'backlog, p99', '1700', '125'];
    expect(cells[2]).toEqual(expected);
  });

  it('says where no load was within the objective', () => {
    expect(results[1].kneePerSecond).toBeUndefined();
    const line = capacityTables(results)
      .split('\n')
      .find((each) => each.startsWith('capnweb'))!;
    expect(line).toContain('none');
  });

  it('says whether an overload was one, and outlasted what was watched of it', () => {
    const after = (...reasons: OverloadReason[]) => {
      const found = report(ladder('lumenize', 1000, { recovery: { overload: rung(3000, reasons) } }));
      return capacityTables(gatherCapacity(search, [found]));
    };
    expect(after('backlog')).toContain('not within the time watched');
    expect(after()).toContain('was no overload');
  });
});

describe('the family capacity', () => {
  it('has the A/A arm, and twice three ladders of each, where it is measured alone', () => {
    const { launches, repeats, arms, cells } = capacityProfile({ ...CONTEXT, extent: 'alone' });
    expect(launches * repeats).toBeGreaterThanOrEqual(6);
    expect(arms.map(({ id }) => id)).toEqual([...SUBJECTS, 'lumenize-again']);
    expect(cells.length).toBe(4);
  });

  it('is narrowed to some subjects, and names those that there are', () => {
    expect(capacityProfile({ ...CONTEXT, subjects: ['raw'] }).arms).toEqual([{ id: 'raw', subject: 'raw' }]);
    expect(() => capacityProfile({ ...CONTEXT, subjects: ['native'] })).toThrow(
      'there are lumenize, capnweb, capnweb-plain, raw',
    );
    expect(() => capacityProfile({ ...CONTEXT, hosts: ['node'] })).toThrow('there are workerd');
  });

  it('climbs a ladder of every subject with both methods on workerd, and tells of them', {
    timeout: 60_000,
  }, async () => {
    const findings = await CAPACITY.measure(CONTEXT);
    const rows = findings.results.map((each) => `${each.scenario} ${each.subject}`);
    expect(rows).toEqual(
      ['capacity/noop-1-object', 'capacity/insert-2-objects'].flatMap((scenario) =>
        SUBJECTS.map((subject) => `${scenario} ${subject}`),
      ),
    );
    const ladders = findings.results.flatMap((each) => ('ladders' in each ? each.ladders : []));
    expect(ladders.length).toBe(2 * SUBJECTS.length);
    for (const { rungs } of ladders) {
      expect(rungs.length).toBeGreaterThanOrEqual(2);
      for (const { arrivals, errors, completedPerSecond } of rungs) {
        expect(arrivals).toBeGreaterThan(0);
        expect(errors).toBe(0);
        expect(completedPerSecond).toBeGreaterThanOrEqual(0);
      }
    }
    const entry = CAPACITY.entry(findings);
    expect(entry.results).toContain('a call that does nothing, one object');
    expect(entry.results).toContain('an SQLite write, 2 objects');
    expect(entry.configuration.join()).toContain('p99 within 10 ms and 99 % of the calls');
    // One ladder each: no knee and no ratio has a spread.
    expect(entry.results).not.toContain('lowest–highest');
    expect(entry.analysis.join()).not.toContain('itself');
    expect(findings.comparisons).toEqual([]);
  });
});
