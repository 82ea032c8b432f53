import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import { findDifference } from '../../../tools/difference/find-difference.ts';
import type { ScenarioPlan } from '../src/engine/plan.ts';
import { VALUES } from '../src/families/values.ts';
import { type Bench, LocalBench } from '../src/values/bench.ts';
import { measurePayload, warmUp } from '../src/values/measure-payload.ts';
import { PAYLOADS } from '../src/values/payloads.ts';
import { sampled } from '../src/values/sampled.ts';

const json = (name: string) => JSON.stringify(PAYLOADS[name]());

describe('payloads', () => {
  it.each(Object.keys(PAYLOADS))('are the same every time: %s', (name) => {
    expect(findDifference(PAYLOADS[name](), PAYLOADS[name]())).toBeUndefined();
  });

  it.each([
    ['rows-200', 14_000, 15_000],
    ['rows-distinct', 14_000, 15_000],
    ['tree', 4800, 5200],
    ['small-object', 29, 29],
    ['rows-64B', 55, 75],
    ['rows-1MiB', 1_000_000, 1_100_000],
  ])('have the size in JSON that they are said to have: %s', (name, least, most) => {
    expect(json(name).length).toBeGreaterThanOrEqual(least);
    expect(json(name).length).toBeLessThanOrEqual(most);
  });

  it('have the size in bytes that they are said to have', () => {
    expect(new TextEncoder().encode(PAYLOADS['text-60kB']() as string).byteLength).toBeCloseTo(60_000, -2);
    expect(PAYLOADS['text-16KiB']()).toHaveLength(16_384);
    expect(PAYLOADS['bytes-1MiB']()).toHaveLength(2 ** 20);
  });

  it('repeat text in rows as a database does, and hardly in distinct ones', () => {
    const texts = (name: string) =>
      (PAYLOADS[name]() as { name: string; city: string }[]).flatMap((row) => [row.name, row.city]);
    expect(new Set(texts('rows-200')).size).toBe(100 + 20);
    expect(new Set(texts('rows-16KiB')).size).toBeGreaterThan(100 + 20);
    expect(new Set(texts('rows-distinct')).size).toBeGreaterThan(395);
  });
});

const MEASURING = { sampleMs: 2, bothMs: 6, partMs: 2, warmUpMs: 50, limitMs: 1000 };
const PLAN: ScenarioPlan = {
  scenario: 'tree',
  arms: [
    ...['lumenize', 'JSON', 'structuredClone'].map((codec) => ({ id: codec, subject: codec })),
    { id: 'lumenize-again', subject: 'lumenize' },
  ],
  rounds: 2,
  mirrored: true,
};

/** A bench whose operations take just as long as they are said to, without taking it. */
function fakeBench(operationMs: Record<string, number> = {}, verify: Bench['verify'] = async () => ({})) {
  const asked: string[] = [];
  let forgotten = 0;
  const bench: Bench = {
    check() {},
    verify,
    time({ codec, operation, count }) {
      asked.push(`${codec} ${operation} ${count}`);
      return (operationMs[codec] ?? 1) * count * (operation === 'both' ? 1 : 0.5);
    },
    forget: () => {
      forgotten++;
    },
  };
  return { bench, asked, forgotten: () => forgotten };
}

const measured = (bench: Bench, changes = {}) =>
  measurePayload(bench, PLAN, { ...MEASURING, ...changes }, seededRandom(1));

describe('measurePayload', () => {
  it('times every arm once in each pass of each round', async () => {
    const { bench, forgotten } = fakeBench({ lumenize: 0.01, JSON: 0.02 });
    const { blocks } = await measured(bench);
    expect(blocks).toHaveLength(4 * 2 * 2);
    for (const arm of ['lumenize', 'lumenize-again']) {
      const own = blocks.filter((block) => block.arm === arm);
      expect(own.map(({ round, pass }) => `${round}/${pass}`)).toEqual(['0/0', '0/1', '1/0', '1/1']);
      for (const { totalMs } of own) expect(totalMs).toBeCloseTo(0.01);
    }
    expect(forgotten()).toBe(1);
  });

  it('says what an operation takes in µs, both halves alone, and the size; nothing of the arm of the A/A', async () => {
    const { bench, asked } = fakeBench({ lumenize: 0.01 }, async () => ({ bytes: 9 }));
    const { figures } = await measured(bench);
    expect(figures.map(({ arm }) => arm)).toEqual(['lumenize', 'JSON', 'structuredClone']);
    const [{ unit, value, detail }, , clone] = figures;
    expect({ unit, value }).toEqual({ unit: 'us', value: expect.closeTo(10) });
    expect(detail).toMatchObject({
      encodeUs: expect.closeTo(5),
      decodeUs: expect.closeTo(5),
      ...{ operationsPerSample: 200, bytes: 9 },
    });
    // It works in one step.
    expect(clone.detail).not.toHaveProperty('encodeUs');
    expect(asked.filter((each) => /^structuredClone (encode|decode)/.test(each))).toEqual([]);
  });

  it('rejects where a codec gives wrong values back in the end', async () => {
    let verified = 0;
    const { bench } = fakeBench({}, async () => (++verified > 4 ? { cannot: '$: 1 became 2' } : {}));
    await expect(measured(bench)).rejects.toThrow('JSON no longer carries tree: $: 1 became 2');
  });

  it('begins no further round when its time is over, and leaves none half done', async () => {
    const { blocks } = await measured(fakeBench().bench, { limitMs: -1 });
    expect(blocks.map(({ round }) => round)).toEqual(Array(8).fill(0));
  });
});

describe('warmUp', () => {
  it('finds how many operations fill a sample, in steps, and runs for as long as it is told to', async () => {
    const { bench, asked } = fakeBench({ JSON: 0.01 });
    expect(await warmUp(bench, 'tree', 'JSON', { sampleMs: 2, warmUpMs: 20 })).toBe(200);
    const counts = asked.map((each) => Number(each.split(' ')[2]));
    expect(counts.slice(0, 4)).toEqual([1, 8, 64, 200]);
    expect(counts.reduce((sum, count) => sum + count) * 0.01).toBeCloseTo(20, -1);
  });

  it.each([
    ['now and then', (sample: number) => sample % 5 === 0],
    ['in the first sample, as long as the warm-up', (sample: number) => sample === 1],
  ])('takes no notice of a pause %s', async (_when, pauses) => {
    const { bench } = fakeBench();
    let samples = 0;
    const time: Bench['time'] = ({ count }) => count * 0.01 + (pauses(++samples) ? 30 : 0);
    expect(await warmUp({ ...bench, time }, 'tree', 'JSON', { sampleMs: 2, warmUpMs: 30 })).toBe(200);
  });

  it('takes no notice of samples that are too short for the clock', async () => {
    const { bench } = fakeBench();
    const time: Bench['time'] = ({ count }) => (count < 50 ? 0.001 : count * 0.01);
    expect(await warmUp({ ...bench, time }, 'tree', 'JSON', { sampleMs: 2, warmUpMs: 30 })).toBe(200);
  });
});

describe('sampled', () => {
  const work = { payload: 'tree', codec: 'JSON', operation: 'both', count: 4 } as const;

  it('takes samples for as long as it is told to, each the mean of its operations; one where there is no time at all', async () => {
    const { bench, asked } = fakeBench({ JSON: 0.5 });
    expect(await sampled(bench, work, 6)).toMatchObject({ samples: [0.5, 0.5, 0.5], p50: 0.5, samplesCount: 3 });
    expect(asked).toHaveLength(3);
    expect((await sampled(bench, work, 0)).samples).toEqual([0.5]);
  });

  it('measures with the durations of the bench, however long a request takes besides', async () => {
    const { bench } = fakeBench({ JSON: 0.5 });
    const slow: Bench['time'] = async (asked) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return bench.time(asked);
    };
    expect(await sampled({ time: slow }, work, 4)).toMatchObject({ max: 0.5, samplesCount: 2 });
  });

  it('rejects with what the bench throws', async () => {
    const time = () => Promise.reject(new RangeError('mine'));
    await expect(sampled({ time }, work, 1)).rejects.toThrow('mine');
  });
});

it('LocalBench refuses a process that can make code from text, as this one can', () => {
  expect(() => new LocalBench().check()).toThrow('code can be generated here');
});

describe('the plan of the family values', () => {
  const plan = (wanted: Parameters<typeof VALUES.plan>[1]) => VALUES.plan('alone', wanted);

  it('narrows down to what is wanted, and compares what is left', () => {
    const wanted = { subjects: ['lumenize', 'JSON', 'cbor-x'], hosts: ['node'], payloads: ['tree'] } as const;
    const { places, scenarios, compared } = plan(wanted);
    // Four rounds of three codecs and the A/A, there and back.
    const arms = [...wanted.subjects, 'lumenize-again'].map((id) => ({ id, subject: id.replace('-again', '') }));
    const plans = [{ scenario: 'tree', arms, rounds: 4, mirrored: true }];
    expect(places).toEqual([{ host: 'node', plans, launches: 3 }]);
    expect(scenarios).toEqual([{ name: 'tree' }]);
    const pairs = compared!.pairs.map(({ subject, baseline }) => `${subject}/${baseline}`);
    expect(pairs).toEqual(['lumenize/JSON', 'lumenize/cbor-x', 'cbor-x/JSON']);
  });

  it('refuses a payload that it does not know', () => {
    expect(() => plan({ payloads: ['rows'] })).toThrow('no payload is called rows');
  });
});
