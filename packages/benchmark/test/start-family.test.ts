import { describe, expect, it } from 'vitest';
import type { FigureResult } from '../src/families/figure-result.ts';
import { START } from '../src/families/start.ts';
import { unavailableResults } from '../src/run-record.ts';
import { startResults } from '../src/start/findings.ts';
import { START_SUBJECTS, UPDATE, UPDATE_ONCE } from '../src/start/profile.ts';

const SILENT = { start() {}, update() {}, stop() {} };

describe('a quick run of the family start', () => {
  it('starts, wakes, reconnects and updates every subject that can', { timeout: 120_000 }, async () => {
    const found = await START.measure({ extent: 'quick', seed: 1, progress: SILENT });
    const figures = found.results.filter((each): each is FigureResult => 'value' in each);
    const of = (wanted: string) => figures.filter(({ scenario }) => scenario === wanted);
    const subjects = (wanted: string) => of(wanted).map(({ subject }) => subject);
    expect(subjects('import/client')).toEqual(['capnweb', 'lumenize']);
    expect(subjects('import/server')).toEqual(['capnweb', 'lumenize']);
    expect(subjects('start/first-call')).toEqual(START_SUBJECTS.toSorted());
    expect(subjects('wake/first-result')).toEqual(['lumenize', 'raw']);
    expect(subjects('reconnect/resumed')).toEqual(['lumenize', 'lumenize-accept']);
    expect(subjects('reconnect/new-session')).toEqual(START_SUBJECTS.toSorted());
    for (const { value, unit } of figures) if (unit === 'ms') expect(value).toBeGreaterThan(0);

    // What was declared to run once is neither lost nor repeated; of what was not, each client had one call in flight.
    const [once] = of(UPDATE_ONCE);
    expect(once).toMatchObject({ subject: 'lumenize', value: 0, detail: { repeatedCalls: 0, lostThoughRunCalls: 0 } });
    expect(once.detail!.calls).toBeGreaterThan(5);
    expect(of(UPDATE).map(({ subject, detail }) => [subject, detail!.repeatedCalls])).toEqual([
      ['lumenize', 0],
      ['capnweb', 0],
      ['raw', 0],
    ]);
    for (const subject of ['capnweb', 'raw']) {
      const { value } = of(UPDATE).find((each) => each.subject === subject)!;
      expect(value, subject).toBeGreaterThanOrEqual(1);
      expect(value, subject).toBeLessThanOrEqual(5);
    }
    expect(unavailableResults(found).map(({ subject, scenario }) => `${subject}: ${scenario}`)).toContain(
      'capnweb: reconnect/resumed',
    );

    const { results, analysis } = START.entry(found);
    expect(results).toContain('it does not reconnect');
    expect(analysis.join('\n')).toMatch(/run exactly once: in one update, 0 of \d+ calls were lost and 0 ran twice\./);
  });
});

it('measures subjects that are wanted, and no others', { timeout: 60_000 }, async () => {
  const found = await START.measure({ extent: 'quick', seed: 1, subjects: ['raw-accept'], progress: SILENT });
  expect(found.results.map(({ subject, scenario }) => `${subject}: ${scenario}`)).toEqual([
    'raw-accept: start/first-call',
    'raw-accept: reconnect/new-session',
    'raw-accept: wake/first-result',
    'raw-accept: reconnect/resumed',
  ]);
});

describe('code updates', () => {
  const reading = { scenario: UPDATE, subject: 'raw', succeeded: 100, downMs: 50, againMs: [60, 80] } as const;
  const rowOf = (...readings: Parameters<typeof startResults>[3]) =>
    startResults([], [], [], readings).find((each): each is FigureResult => 'value' in each)!;

  it('tell calls that were lost though they ran from calls that ran twice', () => {
    // 103 runs, of which 100 were told to be: of 5 lost calls 3 have run.
    expect(rowOf({ ...reading, lost: 5, value: 103 })).toMatchObject({
      value: 5,
      detail: { calls: 105, lostThoughRunCalls: 3, repeatedCalls: 0, answeredAgainMaxMs: 80 },
    });
    // With one lost call, at least two of three runs too many are repetitions.
    expect(rowOf({ ...reading, lost: 1, value: 103 }).detail).toMatchObject({
      lostThoughRunCalls: 1,
      repeatedCalls: 2,
    });
  });

  it('fail where an increment that succeeded is not stored', () => {
    expect(() => rowOf({ ...reading, lost: 0, value: 99 })).toThrow('stands at 99 after 100 increments');
  });
});
