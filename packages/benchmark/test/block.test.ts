import { describe, expect, it } from 'vitest';
import { runBlock } from '../src/blocks/block.ts';
import { CALL_SCENARIOS } from '../src/scenarios/all.ts';
import { isSteady } from '../src/statistics/summary.ts';
import type { Subject } from '../src/subjects/subject.ts';
import { localSubject } from './support/local-subject.ts';

const SCENARIOS = new Map(CALL_SCENARIOS.map((scenario) => [scenario.name, scenario]));

const run = (name: string, subject: Subject) => runBlock(SCENARIOS.get(name)!, subject, 'http://nowhere', 'a');

describe('runBlock', () => {
  it.each([...SCENARIOS.keys()])('runs %s, gives a time for each sample and closes what it opened', async (name) => {
    const { subject, state } = localSubject();
    const { totalMs, samplesMs } = await run(name, subject);
    const { sample, operations } = SCENARIOS.get(name)!;
    expect(samplesMs.length).toBe(sample === 'turn' ? operations / Number(name.split('-').at(-1)) : operations);
    expect(totalMs).toBeGreaterThan(0);
    expect(state.open).toBe(0);
  });

  it.each([...SCENARIOS.keys()].filter((name) => !/^(getValue|connect)/.test(name)))(
    'fails %s when one increment is lost',
    async (name) => {
      // The third, because the first is made before the clock starts.
      let n = 0;
      const { subject, state } = localSubject((own) => ({
        increment: async () => (++n === 3 ? own.value : ++own.value),
      }));
      await expect(run(name, subject)).rejects.toThrow(/gave \d+ instead of \d+/);
      expect(state.open).toBe(0);
    },
  );

  it('fails when an increment has run twice although every answer was right', async () => {
    let answers = 0;
    const { subject } = localSubject((own) => ({
      async increment() {
        own.value += ++answers === 50 ? 2 : 1;
        return answers - 1;
      },
    }));
    const why = 'getValue after the block gave 101 instead of 100';
    await expect(run('increment/sequential', subject)).rejects.toThrow(why);
  });

  it('fails when a read answers wrongly', async () => {
    const { subject } = localSubject(() => ({ getValue: async () => 42 }));
    await expect(run('getValue/sequential', subject)).rejects.toThrow('gave 42 instead of 0');
  });

  it('fails and names calls that never settle, instead of waiting for ever', async () => {
    const { subject, state } = localSubject(() => ({ getValue: () => new Promise<number>(() => {}) }));
    const scenario = SCENARIOS.get('getValue/sequential')!;
    const block = runBlock(scenario, subject, 'http://nowhere', 'a', { timeoutMs: 20 });
    await expect(block).rejects.toThrow('getValue/sequential, raw: Error: no end after 20 ms');
    expect(state.open).toBe(0);
  });
});

it.each([
  ['while blocks are getting faster', [90, 80, 70, 60, 50, 40], false],
  ['when the newest are no faster than those before', [90, 50, 51, 49, 50, 50, 51], true],
  ['when they are slower', [50, 50, 50, 80, 90, 85], true],
  ['by too few', [50, 50, 50, 50, 50], false],
])('isSteady %s: %j is %s', (_, blocks, steady) => {
  expect(isSteady(blocks)).toBe(steady);
});
