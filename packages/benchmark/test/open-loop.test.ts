import { quantile } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { rungOf } from '../src/families/capacity/ladder.ts';
import { evenArrivals, type Offering, offer, WrongAnswer } from '../src/families/capacity/open-loop.ts';
import { SimulatedTime, simulatedServer } from './support/simulated-time.ts';

const OBJECTIVE = { p99Ms: 10, completedShare: 0.99 };
const SERVICE_MS = 0.1;
/** A thousand a second, a tenth of what the server can do. */
const ARRIVALS = evenArrivals(1, 1000);
const STALL = { from: 500, to: 700 };

async function timesOf(time: SimulatedTime, { answered }: Offering) {
  await time.run();
  return answered;
}

/** What a generator would find that waits for each answer, and takes the time from when it sends. */
async function naiveLatencies(time: SimulatedTime, call: () => Promise<void>): Promise<number[]> {
  const latencies: number[] = [];
  const next = () => {
    const sent = time.now();
    call().then(() => {
      latencies.push(time.now() - sent);
      if (time.now() < 1000) time.at(Math.max(sent + 1, time.now()), next);
    });
  };
  time.at(0, next);
  await time.run();
  return latencies;
}

describe('offer', () => {
  it('times a call from its scheduled moment to its answer', async () => {
    const time = new SimulatedTime();
    const times = await timesOf(time, offer(ARRIVALS, 1000, simulatedServer(time, SERVICE_MS), time));
    expect(times.latenciesMs.length).toBe(1000);
    for (const latency of times.latenciesMs) expect(latency).toBeCloseTo(SERVICE_MS, 6);
    for (const late of times.lateMs) expect(late).toBeCloseTo(0, 6);
    expect(rungOf(1000, 1000, times, OBJECTIVE)).toMatchObject({
      completedPerSecond: 1000,
      reasons: [],
    });
  });

  it('goes on while the server stalls, and shows all that wait: a generator that waits itself hides them', async () => {
    const time = new SimulatedTime();
    const times = await timesOf(time, offer(ARRIVALS, 1000, simulatedServer(time, SERVICE_MS, STALL), time));
    // Those that come within the 200 ms, and, as the backlog takes a tenth of it to clear, those soon after.
    const slow = [...times.latenciesMs].filter((latency) => latency > 10).length;
    expect(slow).toBeGreaterThan(190);
    expect(slow).toBeLessThan(225);
    const rung = rungOf(1000, 1000, times, OBJECTIVE);
    expect(rung.p99Ms).toBeGreaterThan(180);
    expect(rung).toMatchObject({ reasons: ['p99'], lateShare: 0, errors: 0 });

    const again = new SimulatedTime();
    const naive = await naiveLatencies(again, simulatedServer(again, SERVICE_MS, STALL));
    expect(naive.length).toBeGreaterThan(780);
    expect(quantile(naive, 0.99)).toBeLessThan(1);
    expect(naive.filter((latency) => latency > 10).length).toBe(1);
  });

  it('counts what it is late itself as waiting, and says that it was the bottleneck', async () => {
    const time = new SimulatedTime();
    const offering = offer(ARRIVALS, 1000, simulatedServer(time, SERVICE_MS), time);
    time.at(300, () => time.block(100));
    const rung = rungOf(1000, 1000, await timesOf(time, offering), OBJECTIVE);
    expect(rung.latestMs).toBeGreaterThan(95);
    expect(rung.lateShare).toBeGreaterThan(0.09);
    expect(rung.lateShare).toBeLessThan(0.12);
    expect(rung.p99Ms).toBeGreaterThan(85);
    expect(rung.reasons).toEqual(['p99', 'generator']);
  });

  it('knows a backlog: more is offered than is completed', async () => {
    const time = new SimulatedTime();
    const times = await timesOf(time, offer(ARRIVALS, 1000, simulatedServer(time, 1.25), time));
    const rung = rungOf(1000, 1000, times, OBJECTIVE);
    expect(rung.reasons).toEqual(['backlog', 'p99']);
    expect(rung.completedPerSecond).toBeCloseTo(800, -1);
    expect(rung.maxMs).toBeCloseTo(250, -1);
  });

  it('says when all is sent, before all is answered', async () => {
    const time = new SimulatedTime();
    const heard: string[] = [];
    const { offered, answered } = offer(ARRIVALS, 1000, simulatedServer(time, 1.25), time);
    offered.then(() => heard.push(`offered at ${time.now()}`));
    answered.then(() => heard.push('answered'));
    await time.run();
    expect(heard).toEqual(['offered at 1001', 'answered']);
  });

  it('counts errors, and fails where an answer is wrong', async () => {
    const time = new SimulatedTime();
    const serve = simulatedServer(time, SERVICE_MS);
    const at = (error: Error) => async (arrival: number) => {
      await serve();
      if (arrival === 17) throw error;
    };
    const times = await timesOf(time, offer(ARRIVALS, 1000, at(new Error('OVERLOADED')), time));
    const rung = rungOf(1000, 1000, times, OBJECTIVE);
    expect(rung).toMatchObject({ errors: 1, firstError: 'OVERLOADED', reasons: ['errors'] });
    const wrong = offer(ARRIVALS, 1000, at(new WrongAnswer('insert gave 2 instead of 1')), time);
    await expect(timesOf(time, wrong)).rejects.toThrow('insert gave 2');
  });
});
