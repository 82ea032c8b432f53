import { describe, expect, it } from 'vitest';
import { START } from '../src/families/start/start.ts';
import { lossesOf } from '../src/families/start/tasks.ts';
import { measureQuickly } from './support/quickly.ts';

const MAIN = ['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'];
const ALL = [...MAIN, 'capnweb-plain', 'raw-plain'];

describe('a quick run of the family start', () => {
  it('starts, wakes, reconnects and updates every subject that can', { timeout: 120_000 }, async () => {
    const { rows, launches, of, missing } = await measureQuickly(START);
    const subjects = (wanted: string) => of(wanted).map(({ subject }) => subject);
    expect(subjects('start/first-call')).toEqual(MAIN);
    expect(subjects('wake/first-result')).toEqual(['lumenize', 'raw', 'raw-plain']);
    expect(subjects('reconnect/resumed')).toEqual(['lumenize', 'lumenize-accept']);
    expect(subjects('reconnect/new-session')).toEqual(ALL);
    for (const { value, unit } of rows) if (unit === 'ms' && value !== undefined) expect(value).toBeGreaterThan(0);

    // What was declared to run once is neither lost nor repeated; of what was not, each client had one call in flight.
    const [once] = of('update/increments, exactly once');
    expect(once).toMatchObject({ subject: 'lumenize', unit: 'calls lost', value: 0 });
    expect(once.detail).toMatchObject({ repeatedCalls: 0, lostThoughRunCalls: 0 });
    expect(once.detail!.calls).toBeGreaterThan(5);
    const updated = of('update/increments');
    expect(updated.map(({ subject }) => subject)).toEqual(['lumenize', 'capnweb', 'raw']);
    for (const { detail } of updated) expect(detail).toMatchObject({ repeatedCalls: 0 });
    for (const { value, subject } of updated.slice(1)) {
      expect(value, subject).toBeGreaterThanOrEqual(1);
      expect(value, subject).toBeLessThanOrEqual(5);
    }
    expect(missing).toContain('reconnect/resumed capnweb');
    expect(launches.map(({ host }) => host)).toEqual(['workerd']);
  });
});

describe('code updates', () => {
  const counts = { succeeded: 100, againMs: [60, 80] };

  it('tell calls that were lost though they ran from calls that ran twice', () => {
    // 103 runs, of which 100 were told to be: of 5 lost calls 3 have run.
    expect(lossesOf({ ...counts, lost: 5, value: 103 }, 50)).toEqual({
      ...{ unit: 'calls lost', value: 5 },
      detail: {
        ...{ calls: 105, lostThoughRunCalls: 3, repeatedCalls: 0, downMs: 50 },
        ...{ answeredAgainMedianMs: 70, answeredAgainMaxMs: 80 },
      },
    });
    // With one lost call, at least two of three runs too many are repetitions.
    const { detail } = lossesOf({ ...counts, lost: 1, value: 103 }, 50);
    expect(detail).toMatchObject({ lostThoughRunCalls: 1, repeatedCalls: 2 });
  });

  it('fail where an increment that succeeded is not stored', () => {
    expect(() => lossesOf({ ...counts, lost: 0, value: 99 }, 50)).toThrow('stands at 99 after 100 increments');
  });
});
