import { describe, expect, it } from 'vitest';
import { Ladder, type OverloadReason, type Rung } from '../src/families/capacity/ladder.ts';

const OPTIONS = { start: 1000, step: 1.25, precision: 1.065, maxRungs: 20 };

type Judged = Pick<Rung, 'offeredPerSecond' | 'reasons'>;

/** Climbs where a load is answered by `judge`. */
function climb(judge: (perSecond: number) => readonly OverloadReason[], options: Partial<typeof OPTIONS> = {}) {
  const ladder = new Ladder<Judged>({ ...OPTIONS, ...options });
  for (let rate = ladder.next(); rate !== undefined; rate = ladder.next()) {
    ladder.record({ offeredPerSecond: rate, reasons: judge(rate) });
  }
  const { knee, firstOverload } = ladder;
  return { knee: knee?.offeredPerSecond, overload: firstOverload?.offeredPerSecond, rungs: ladder.rungs };
}

const withKneeAt =
  (knee: number) =>
  (perSecond: number): OverloadReason[] =>
    perSecond <= knee ? [] : ['backlog', 'p99'];

describe('a ladder', () => {
  it.each([120, 990, 1000, 1001, 1249, 1900, 7777, 15_000])('encloses a knee at %d', (true_) => {
    const { knee, overload, rungs } = climb(withKneeAt(true_));
    expect(knee).toBeLessThanOrEqual(true_);
    expect(overload).toBeGreaterThan(true_);
    expect(overload! / knee!).toBeLessThanOrEqual(OPTIONS.precision);
    expect(rungs.length).toBeLessThan(OPTIONS.maxRungs);
  });

  it.each([
    ['goes up in even ratios and then halves what is left of them', 1400, [1000, 1250, 1560, 1400, 1480]],
    ['goes down by two steps at a time until a load is within capacity', 500, [1000, 640, 410, 512, 458, 484]],
  ])('%s', (_, knee, offered) => {
    expect(climb(withKneeAt(knee)).rungs.map(({ offeredPerSecond }) => offeredPerSecond)).toEqual(offered);
  });

  it('offers a load again whose p99 alone was too high, and believes it the second time', () => {
    const tried = new Map<number, number>();
    const once = climb((perSecond) => {
      const times = (tried.get(perSecond) ?? 0) + 1;
      tried.set(perSecond, times);
      if (perSecond === 1250 && times === 1) return ['p99', 'generator'];
      return withKneeAt(1400)(perSecond);
    });
    expect(once.rungs.map(({ offeredPerSecond }) => offeredPerSecond)).toEqual([1000, 1250, 1250, 1560, 1400, 1480]);
    const twice = climb((perSecond) => (perSecond <= 1200 ? [] : ['p99']));
    expect(twice).toMatchObject({ knee: 1180, overload: 1250 });
    expect(twice.rungs.map(({ offeredPerSecond }) => offeredPerSecond)).toEqual([1000, 1250, 1250, 1120, 1180]);
  });

  it('ends without a knee where every load is too much, and without an overload where none is', () => {
    const none = climb(withKneeAt(0), { maxRungs: 6 });
    expect(none).toMatchObject({ knee: undefined, overload: 108 });
    expect(none.rungs.length).toBe(6);
    const endless = climb(withKneeAt(Number.POSITIVE_INFINITY), { maxRungs: 6 });
    expect(endless).toMatchObject({ overload: undefined, knee: 3050 });
  });
});
