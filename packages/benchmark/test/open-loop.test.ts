import { seededRandom } from '@lumenize/hosts/random';
import { mean, sampleVariance, standardDeviation } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { rungOf } from '../src/families/capacity/ladder.ts';
import { offer, poissonArrivals, WrongAnswer } from '../src/families/capacity/open-loop.ts';
import { SimulatedTime, simulatedServer } from './support/simulated-time.ts';

const SERVICE_MS = 0.1;
/** A thousand a second, a tenth of what the server can do. */
const ARRIVALS = Float64Array.from({ length: 1000 }, (_, ms) => ms);

/** Offers a thousand calls, served by `serverOn` some time, and returns what became of them. */
async function offered(serverOn: (time: SimulatedTime) => (arrival: number) => Promise<void>) {
  const time = new SimulatedTime();
  const answered = offer(ARRIVALS, 1000, serverOn(time), time);
  const [times] = await Promise.all([answered, time.run()]);
  return { ...times, ...rungOf(1000, 1000, times, { p99Ms: 10, completedShare: 0.99 }) };
}

describe('offer', () => {
  it('times a call from its scheduled moment to its answer', async () => {
    const found = await offered((time) => simulatedServer(time, SERVICE_MS));
    expect(found.latenciesMs.length).toBe(1000);
    for (const latency of found.latenciesMs) expect(latency).toBeCloseTo(SERVICE_MS, 6);
    for (const late of found.lateMs) expect(late).toBeCloseTo(0, 6);
    expect(found).toMatchObject({ completedPerSecond: 1000, reasons: [] });
  });

  it('goes on while the server stalls, and shows all that wait', async () => {
    const found = await offered((time) => simulatedServer(time, SERVICE_MS, { from: 500, to: 700 }));
    // Those that come within the 200 ms, and, as the backlog takes a tenth of it to clear, those soon after.
    const slow = found.latenciesMs.filter((latency) => latency > 10).length;
    expect(slow).toBeGreaterThan(190);
    expect(slow).toBeLessThan(225);
    expect(found.p99Ms).toBeGreaterThan(180);
    expect(found).toMatchObject({ reasons: ['p99'], lateShare: 0, errors: 0 });
  });

  it('counts what it is late itself as waiting, and says that it was the bottleneck', async () => {
    const found = await offered((time) => {
      time.at(300, () => time.block(100));
      return simulatedServer(time, SERVICE_MS);
    });
    expect(found.latestMs).toBeGreaterThan(95);
    expect(found.lateShare).toBeGreaterThan(0.09);
    expect(found.lateShare).toBeLessThan(0.12);
    expect(found.p99Ms).toBeGreaterThan(85);
    expect(found.reasons).toEqual(['p99', 'generator']);
  });

  it('knows a backlog: more is offered than is completed', async () => {
    const found = await offered((time) => simulatedServer(time, 1.25));
    expect(found.reasons).toEqual(['backlog', 'p99']);
    expect(found.completedPerSecond).toBeCloseTo(800, -1);
    expect(found.maxMs).toBeCloseTo(250, -1);
  });

  it('counts errors, and fails where an answer is wrong', async () => {
    const failing = (error: Error) => (time: SimulatedTime) => {
      const serve = simulatedServer(time, SERVICE_MS);
      return async (arrival: number) => {
        await serve();
        if (arrival === 17) throw error;
      };
    };
    const errors = { errors: 1, firstError: 'OVERLOADED', reasons: ['errors'] };
    expect(await offered(failing(new Error('OVERLOADED')))).toMatchObject(errors);
    const wrong = offered(failing(new WrongAnswer('insert gave 2 instead of 1')));
    await expect(wrong).rejects.toThrow('insert gave 2');
  });
});

describe('poissonArrivals', () => {
  const arrivals = poissonArrivals(5000, 10_000, seededRandom(7));
  const gaps = [...arrivals.slice(1)].map((at, i) => at - arrivals[i]);

  it('offers just what is stated, in order and within the time', () => {
    expect(arrivals.length).toBe(50_000);
    expect(arrivals[0]).toBeGreaterThanOrEqual(0);
    expect(arrivals.at(-1)).toBeLessThanOrEqual(10_000);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    expect(poissonArrivals(1, 10, seededRandom(7)).length).toBe(1);
  });

  it('has exponential gaps, which do not depend on one another', () => {
    expect(mean(gaps)).toBeCloseTo(0.2, 3);
    // As large as the mean, where even gaps would have 0.
    expect(standardDeviation(gaps) / mean(gaps)).toBeCloseTo(1, 1);
    // The share of gaps beyond twice the mean is e to the power of −2.
    expect(gaps.filter((gap) => gap > 0.4).length / gaps.length).toBeCloseTo(Math.exp(-2), 2);
    const [left, right] = [gaps.slice(0, -1), gaps.slice(1)];
    const together = mean(left.map((gap, i) => (gap - 0.2) * (right[i] - 0.2))) / sampleVariance(gaps);
    expect(Math.abs(together)).toBeLessThan(0.02);
  });

  it('is the same again with the same seed, and another with another', () => {
    const draw = (seed: number) => [...poissonArrivals(400, 10, seededRandom(seed))].map((at) => at.toFixed(3));
    expect(draw(1)).toEqual(['0.079', '6.151', '6.161', '7.112']);
    expect(draw(2)).not.toEqual(draw(1));
  });
});
