import { describe, expect, test } from 'vitest';
import { type Contestant, type Lane, type Round, race } from '../../../examples/playground/page/race/race.ts';
import { type RaceStub, SCENARIOS, type Scenario } from '../../../examples/playground/page/race/scenarios.ts';
import { standingOf } from '../../../examples/playground/page/race/standing.ts';
import { median, quantile } from '../../../examples/playground/page/race/statistics.ts';
import { sizeOf } from '../../../examples/playground/page/race/traffic.ts';

const SCENARIO: Scenario = SCENARIOS.find(({ id }) => id === 'turn')!;

/** A lane that answers at once, and notes whose turn it was. */
function lane(name: Contestant, log: Contestant[]): Lane {
  let value = 0;
  let frames = 0;
  const stub = {
    async increment() {
      if (log.at(-1) !== name) log.push(name);
      frames++;
      return ++value;
    },
  };
  return {
    stub: stub as unknown as RaceStub,
    traffic: () => ({ framesUp: frames, framesDown: 1, bytesUp: frames * 10, bytesDown: 0 }),
  };
}

async function run(rounds: number, onRound: (round: Round) => void, signal = new AbortController().signal) {
  const log: Contestant[] = [];
  const lanes = { lumenize: lane('lumenize', log), capnweb: lane('capnweb', log) };
  await race(lanes, SCENARIO, { rounds, blockMs: 1, onRound, signal });
  return log;
}

describe('race()', () => {
  test('gives each a block in each round, begins with the other one next time, and tells of all but the first', async () => {
    const rounds: Round[] = [];
    const log = await run(3, (round) => rounds.push(round));
    // Two blocks that follow each other without a change of sides are one entry here.
    expect(log).toEqual(['lumenize', 'capnweb', 'lumenize', 'capnweb', 'lumenize']);
    expect(rounds).toHaveLength(3);
    const { calls, turns, traffic } = rounds[0].capnweb;
    expect(calls).toBe(turns * 100);
    expect(traffic).toEqual({ framesUp: calls, framesDown: 0, bytesUp: calls * 10, bytesDown: 0 });
  });

  test('stops in the middle, and does not tell of the round that was cut short', async () => {
    const controller = new AbortController();
    let told = 0;
    await run(
      1000,
      () => {
        if (++told === 2) controller.abort();
      },
      controller.signal,
    );
    expect(told).toBe(2);
  });

  test('fails with a wrong answer', async () => {
    const wrong = { stub: { increment: async () => 7 } as unknown as RaceStub, traffic: lane('capnweb', []).traffic };
    const options = { rounds: 1, blockMs: 1, onRound: () => {}, signal: new AbortController().signal };
    await expect(race({ lumenize: wrong, capnweb: wrong }, SCENARIO, options)).rejects.toThrow('an answer was not');
  });
});

test('a standing says medians of rounds, and what a turn took', () => {
  const block = (calls: number, ms: number) => ({
    ...{ turns: calls, calls, ms, p95Ms: 1 },
    traffic: { framesUp: calls * 3, framesDown: calls, bytesUp: calls * 9, bytesDown: calls * 2 },
  });
  const round = (mine: number, others: number): Round => ({ lumenize: block(mine, 100), capnweb: block(others, 100) });
  expect(standingOf([])).toBeUndefined();
  expect(standingOf([round(200, 100), round(300, 100), round(900, 300)])).toEqual({
    rounds: 3,
    results: {
      lumenize: expect.objectContaining({ callsPerSecond: 3000, turnMs: 100 / 300 }),
      capnweb: expect.objectContaining({
        callsPerSecond: 1000,
        perTurn: { framesUp: 3, framesDown: 1, bytesUp: 9, bytesDown: 2 },
      }),
    },
    ratio: { median: 3, least: 2, most: 3 },
  });
});

test('quantiles lie between the values beside them', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1])).toBe(2.5);
  expect(quantile([0, 10], 0.95)).toBe(9.5);
  expect(median([])).toBeNaN();
});

test.each(['abc', 'é', '€', '😀', 'a😀é€'])('text is counted as UTF-8: %s', (text) => {
  expect(sizeOf(text)).toBe(new TextEncoder().encode(text).length);
});
