import { describe, expect, it } from 'vitest';
import { CONTROL } from '../src/blocks/arms.ts';
import type { BlockFindings } from '../src/blocks/record.ts';
import type { FamilyContext } from '../src/families/family.ts';
import { THROUGHPUT } from '../src/families/throughput.ts';
import { runBlock } from '../src/load/block.ts';
import { timeResults } from '../src/run-record.ts';
import { THROUGHPUT_SCENARIOS } from '../src/scenarios/all.ts';
import { incrementClosedLoop } from '../src/scenarios/closed-loop.ts';
import type { Subject } from '../src/subjects/subject.ts';
import { mostWithinObjective } from '../src/throughput/most-within.ts';
import { throughputProfile } from '../src/throughput/profile.ts';
import { fixedRun } from './support/fixed-run.ts';

const CONTEXT: FamilyContext = { extent: 'quick', seed: 1, progress: { start() {}, update() {}, stop() {} } };

const SUBJECTS = ['lumenize', 'capnweb', 'raw', 'capnweb-plain', 'raw-plain'];

/** A counter without a wire, whose calls take a turn each, and what was asked of it. */
function localSubject(answer = (value: number) => value) {
  const state = { value: 0, open: 0, opened: 0, most: 0, mostOfOne: 0 };
  let inFlight = 0;
  const subject: Subject = {
    name: 'raw',
    carrier: 'socket',
    connect() {
      let own = 0;
      state.open++;
      state.opened++;
      return {
        async increment() {
          state.most = Math.max(state.most, ++inFlight);
          state.mostOfOne = Math.max(state.mostOfOne, ++own);
          await new Promise(setImmediate);
          inFlight--;
          own--;
          return answer(++state.value);
        },
        getValue: async () => state.value,
        reset: async () => {
          state.value = 0;
        },
        incrementInOneTurn: async () => [],
        close: () => state.open--,
      };
    },
  };
  return { subject, state };
}

const run = (subject: Subject, ...loop: Parameters<typeof incrementClosedLoop>) =>
  runBlock(incrementClosedLoop(...loop), subject, 'http://nowhere', 'a');

describe('a closed loop', () => {
  it('has just so many calls in flight on each of so many connections, and closes them', async () => {
    const { subject, state } = localSubject();
    const { samplesMs } = await run(subject, 5, 3, 100);
    expect(samplesMs.length).toBe(100);
    expect(state).toEqual({ value: 100, open: 0, opened: 5, most: 15, mostOfOne: 3 });
  });

  it('fails where an answer is wrong, or the counter', async () => {
    const wrongAnswer = localSubject((value) => (value === 60 ? 61 : value));
    await expect(run(wrongAnswer.subject, 5, 1, 100)).rejects.toThrow('the sum of all answers gave 5051');
    const { subject, state } = localSubject((value) => {
      if (value === 100) state.value = 99;
      return value;
    });
    await expect(run(subject, 5, 1, 100)).rejects.toThrow('getValue after the block gave 99 instead of 100');
    expect(state.open).toBe(0);
  });
});

const [FIXED] = timeResults(fixedRun());

describe('mostWithinObjective', () => {
  const at = (load: string, opsPerSecond: number, p99: number) => ({
    ...FIXED,
    scenario: `throughput/${load}`,
    subject: 'raw',
    opsPerSecond,
    p99,
  });
  const most = (results: BlockFindings['results']) => mostWithinObjective({ launches: [], comparisons: [], results });

  it('takes the most calls of those loads whose p99 is below the objective', () => {
    const [figure, ...others] = most([at('20x1', 5000, 4), at('20x4', 9000, 9.9), at('20x8', 12_000, 10)]);
    expect(figure).toMatchObject({ subject: 'raw', unit: 'calls/s', value: 9000 });
    expect(figure).toMatchObject({ detail: { connections: 20, callsInFlightPerConnection: 4, p99Ms: 9.9 } });
    expect(others).toEqual([]);
  });

  it('says so where none is', () => {
    expect(most([at('20x1', 5000, 11)])).toEqual([
      expect.objectContaining({ unavailable: 'its p99 was 10 ms or more with every number of calls in flight' }),
    ]);
  });
});

describe('the family throughput', () => {
  it.each(['alone', 'whole'] as const)(
    'has the A/A arm throughout, and enough for verdicts of the main loads: %s',
    (extent) => {
      const [{ launches, scenarios }] = throughputProfile({ ...CONTEXT, extent }).hosts;
      expect(launches).toBeGreaterThanOrEqual(3);
      expect(scenarios.length).toBe(THROUGHPUT_SCENARIOS.length);
      for (const { arms, mirrored } of scenarios) {
        expect(arms).toContain(CONTROL);
        expect(mirrored).toBe(true);
      }
      const main = scenarios.filter(({ scenario }) => /x[18]$/.test(scenario));
      expect(main.length).toBe(2);
      for (const { rounds } of main) expect(launches * rounds).toBeGreaterThanOrEqual(6);
    },
  );

  it('measures every subject against workerd, one of them with every load, and tells of each', {
    timeout: 60_000,
  }, async () => {
    const findings = await THROUGHPUT.measure(CONTEXT);
    const rows = findings.results.filter((each) => 'blockMedianMs' in each);
    expect(rows.map(({ scenario, subject, n }) => `${scenario} ${subject} ${n}`)).toEqual(
      THROUGHPUT_SCENARIOS.flatMap(({ name, operations }) =>
        (/x[12]$/.test(name) ? SUBJECTS : ['lumenize']).map((subject) => `${name} ${subject} ${operations}`),
      ),
    );
    const most = findings.results.filter(({ scenario }) => scenario === 'throughput/p99-below-10ms');
    expect(most.map(({ subject }) => subject)).toEqual(SUBJECTS);
    const { results } = THROUGHPUT.entry(findings);
    const loads = [...results.matchAll(/^throughput\/20x(\d+)/gm)].map(([, inFlight]) => Number(inFlight));
    expect(loads).toEqual([1, 2, 4, 8, 16]);
    // No frames are counted here: there is nothing to have columns for.
    expect(results).not.toMatch(/frames|bytes/);
  });
});
