import { describe, expect, it } from 'vitest';
import { runBlock } from '../src/load/block.ts';
import { CALL_SCENARIOS } from '../src/scenarios/all.ts';
import { isSteady } from '../src/statistics/steady.ts';
import type { Connection, Subject } from '../src/subjects/subject.ts';

const SCENARIOS = new Map(CALL_SCENARIOS.map((scenario) => [scenario.name, scenario]));

/** A counter without a wire, which can be made to lose increments. */
function localSubject({ loses = () => false }: { loses?: (increment: number) => boolean } = {}) {
  const state = { value: 0, increments: 0, open: 0 };
  const increment = async () => {
    if (!loses(++state.increments)) state.value++;
    return state.value;
  };
  const connection: Connection = {
    increment,
    getValue: async () => state.value,
    reset: async () => {
      state.value = 0;
    },
    incrementInOneTurn: (n) => Promise.all(Array.from({ length: n }, increment)),
    close: () => state.open--,
  };
  const subject: Subject = {
    name: 'raw',
    carrier: 'socket',
    connect() {
      state.open++;
      return connection;
    },
  };
  return { subject, state };
}

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
      const { subject, state } = localSubject({ loses: (n) => n === 3 });
      await expect(run(name, subject)).rejects.toThrow(/gave \d+ instead of \d+/);
      expect(state.open).toBe(0);
    },
  );

  it('fails when an increment has run twice although every answer was right', async () => {
    const { subject, state } = localSubject();
    let answers = 0;
    const twice: Subject = {
      name: 'raw',
      carrier: 'socket',
      connect: async () => ({
        ...(await subject.connect('', '')),
        async increment() {
          state.value += ++answers === 50 ? 2 : 1;
          return answers - 1;
        },
      }),
    };
    await expect(run('increment/sequential', twice)).rejects.toThrow(
      'getValue after the block gave 101 instead of 100',
    );
  });

  it('fails when a read answers wrongly', async () => {
    const { subject } = localSubject();
    const wrong: Subject = {
      name: 'raw',
      carrier: 'socket',
      connect: async () => ({ ...(await subject.connect('', '')), getValue: async () => 42 }),
    };
    await expect(run('getValue/sequential', wrong)).rejects.toThrow('gave 42 instead of 0');
  });
});

describe('runBlock on calls that never settle', () => {
  it('fails and names them, instead of waiting for ever', async () => {
    const { subject, state } = localSubject();
    const silent: Subject = {
      name: 'raw',
      carrier: 'socket',
      connect: async () => ({ ...(await subject.connect('', '')), getValue: () => new Promise<number>(() => {}) }),
    };
    const scenario = SCENARIOS.get('getValue/sequential')!;
    const block = runBlock(scenario, silent, 'http://nowhere', 'a', { timeoutMs: 20 });
    await expect(block).rejects.toThrow('getValue/sequential, raw: Error: no end after 20 ms');
    expect(state.open).toBe(0);
  });
});

describe('isSteady', () => {
  it('waits while blocks are getting faster', () => {
    expect(isSteady([90, 80, 70, 60, 50, 40])).toBe(false);
  });

  it('is satisfied when the newest are no faster than those before', () => {
    expect(isSteady([90, 50, 51, 49, 50, 50, 51])).toBe(true);
    expect(isSteady([50, 50, 50, 80, 90, 85])).toBe(true);
  });

  it('does not judge by too few', () => {
    expect(isSteady([50, 50, 50, 50, 50])).toBe(false);
  });
});
