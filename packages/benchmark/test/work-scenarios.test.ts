import { describe, expect, it } from 'vitest';
import { runBlock } from '../src/blocks/block.ts';
import { scenarioNamed } from '../src/scenarios/all.ts';
import { CARRIER_SCENARIOS, PIPELINE_SCENARIOS, SIZE_SCENARIOS } from '../src/scenarios/turns.ts';
import { connectionOf, type Subject, Unavailable } from '../src/subjects/subject.ts';
import { MapStorage, workOn } from '../src/work/work-target.ts';

const NAMES = [...PIPELINE_SCENARIOS, ...CARRIER_SCENARIOS, ...SIZE_SCENARIOS].map(({ name }) => name);

/** The target itself, without a wire: what it returns can be awaited like any promise. */
function localSubject(changes: object = {}): Subject {
  const Work = workOn(Object);
  return {
    name: 'lumenize',
    carrier: 'port',
    connect() {
      const target = new Work(new MapStorage());
      return connectionOf(Object.assign(target, changes), () => {});
    },
  };
}

const run = (name: string, subject: Subject) => runBlock(scenarioNamed(name), subject, 'http://nowhere', 'a');

describe('the scenarios of pipeline and transports', () => {
  it.each(NAMES)('run %s and give a time for each sample', async (name) => {
    const { totalMs, samplesMs } = await run(name, localSubject());
    expect(samplesMs.length).toBeGreaterThan(0);
    expect(samplesMs.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(totalMs);
  });

  const wrong = { owner: () => ({ profile: () => ({ name: 'Eve' }) }), square: () => 2, callBack: () => 0 };
  it.each(PIPELINE_SCENARIOS.map(({ name }) => name))('fail %s when an answer is wrong', async (name) => {
    await expect(run(name, localSubject(wrong))).rejects.toThrow(/gave .+ instead of/);
  });

  it.each(['call/echo-rows-20', 'echo/bytes-64KiB'])(
    'fail %s when one byte or row comes back changed',
    async (name) => {
      const echo = (value: unknown[] | Uint8Array) => Object.assign(value.slice(), { 9: 0 });
      await expect(run(name, localSubject({ echo }))).rejects.toThrow('echo gave something else');
    },
  );

  it('fail when a stream is too short, or has its chunks in another order', async () => {
    const { download } = localStreams();
    await expect(run('stream/down-64KiB', localSubject({ download: () => download([0, 1]) }))).rejects.toThrow(
      '131072',
    );
    await expect(run('stream/down-64KiB', localSubject({ download: () => download([1, 0]) }))).rejects.toThrow(
      'chunk 0',
    );
  });
});

describe('what a subject cannot do', () => {
  const failing = (error: Error) => localSubject({ callBack: () => Promise.reject(error) });

  it('is told from a failure by the code of a refusal', async () => {
    const refusal = Object.assign(new Error('functions cannot be cloned'), { code: 'NOT_CLONEABLE' });
    await expect(run('pipeline/callback', failing(refusal))).rejects.toThrow(Unavailable);
    await expect(run('pipeline/callback', failing(refusal))).rejects.toThrow(/^functions cannot be cloned$/);
  });

  it('is no cover for a connection that was lost', async () => {
    const lost = Object.assign(new Error('lost'), { code: 'OUTCOME_UNKNOWN' });
    await expect(run('pipeline/callback', failing(lost))).rejects.toThrow('pipeline/callback, lumenize: Error: lost');
    await expect(run('pipeline/callback', failing(lost))).rejects.not.toThrow(Unavailable);
  });

  it('is a block that never ends, where that is a known defect of the subject', async () => {
    const never = () => new Promise(() => {});
    const mayHang = { scenarios: /batch/, afterMs: 5, because: 'it waits' };
    const silent: Subject = { ...localSubject({ square: never, callBack: never }), mayHang };
    const block = (name: string) => runBlock(scenarioNamed(name), silent, 'http://nowhere', 'a', { timeoutMs: 20 });
    await expect(block('pipeline/batch-100')).rejects.toThrow(Unavailable);
    await expect(block('pipeline/batch-100')).rejects.toThrow(
      'no end after 5 ms: a call has not settled, because it waits',
    );
    await expect(block('pipeline/callback')).rejects.not.toThrow(Unavailable);
  });

  it('is everything but the counter for one that has only that', async () => {
    const subject = localSubject();
    const counterOnly: Subject = {
      ...subject,
      connect: async (...where) => ({ ...(await subject.connect(...where)), turn: undefined }),
    };
    await expect(run('pipeline/chain-3', counterOnly)).rejects.toThrow(Unavailable);
  });
});

function localStreams() {
  const download = (fills: number[]) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const fill of fills) controller.enqueue(new Uint8Array(65_536).fill(fill));
        controller.close();
      },
    });
  return { download };
}
