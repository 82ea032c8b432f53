import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import type { CodecName } from '../src/codecs/codec.ts';
import type { Bench } from '../src/values/bench.ts';
import { runBlock } from '../src/values/block.ts';
import { measurePayload } from '../src/values/measure-payload.ts';
import type { PayloadPlan } from '../src/values/plan.ts';
import { warmUp } from '../src/values/warm-up.ts';

const DURATIONS = { sampleMs: 2, bothMs: 6, partMs: 2, warmUpMs: 50 };
const MEASURING = { durations: DURATIONS, limitMs: 1000, sizes: true };
const PLAN: PayloadPlan = {
  scenario: 'tree',
  arms: (['lumenize', 'JSON', 'structuredClone'] as const).map((subject) => ({ id: subject, subject })),
  rounds: 2,
  mirrored: true,
};

/** A bench whose operations take just as long as they are said to, without taking it. */
function fakeBench(operationMs: Partial<Record<CodecName, number>>, verify: Bench['verify'] = async () => ({})) {
  const asked: string[] = [];
  const forgotten: string[] = [];
  const bench: Bench = {
    verify,
    time(_payload, codec, operation, count) {
      asked.push(`${codec} ${operation} ${count}`);
      return (operationMs[codec] ?? 1) * count * (operation === 'both' ? 1 : 0.5);
    },
    forget: (payload) => {
      forgotten.push(payload);
    },
  };
  return { bench, asked, forgotten };
}

const measured = (bench: Bench) => measurePayload(bench, PLAN, MEASURING, seededRandom(1), () => {});

describe('measurePayload', () => {
  it('times every codec once in each pass of each round, its halves once in a round', async () => {
    const { bench, forgotten } = fakeBench({ lumenize: 0.01, JSON: 0.02 });
    const { blocks, counts, unsteady } = await measured(bench);
    expect(blocks).toHaveLength(3 * 2 * 2);
    const lumenize = blocks.filter(({ arm }) => arm === 'lumenize');
    expect(lumenize.map(({ round, pass }) => `${round}/${pass}`)).toEqual(['0/0', '0/1', '1/0', '1/1']);
    expect(lumenize.map(({ samplesMs }) => Object.keys(samplesMs).length)).toEqual([3, 1, 3, 1]);
    for (const { totalMs, samplesMs } of lumenize) {
      expect(totalMs).toBeCloseTo(0.01);
      if (samplesMs.decode) expect(samplesMs.decode[0]).toBeCloseTo(0.005);
    }
    expect(counts).toMatchObject({ lumenize: 200, JSON: 100 });
    expect(unsteady).toEqual([]);
    expect(forgotten).toEqual(['tree']);
  });

  it('has no halves of a codec that works in one step', async () => {
    const { bench, asked } = fakeBench({});
    await measured(bench);
    expect(asked.filter((each) => /^structuredClone (encode|decode)/.test(each))).toEqual([]);
  });

  it('does not time a codec that cannot carry the payload, and says why', async () => {
    const cannot = { cannot: '$: Map(1) became {}' };
    const { bench, asked } = fakeBench({}, async (_, codec) => (codec === 'JSON' ? cannot : { bytes: 1, gzip: 2 }));
    const { carried, blocks } = await measured(bench);
    expect(carried).toContainEqual({ codec: 'JSON', ...cannot });
    expect(blocks.some(({ arm }) => arm === 'JSON')).toBe(false);
    expect(asked.some((each) => each.startsWith('JSON'))).toBe(false);
  });

  it('rejects where a codec gives wrong values back in the end', async () => {
    let verified = 0;
    const { bench } = fakeBench({}, async () => (++verified > 4 ? { cannot: '$: 1 became 2' } : {}));
    await expect(measured(bench)).rejects.toThrow('JSON no longer carries tree: $: 1 became 2');
  });

  it('begins no further round when its time is over, and leaves none half done', async () => {
    const { bench } = fakeBench({});
    const { blocks } = await measurePayload(bench, PLAN, { ...MEASURING, limitMs: -1 }, seededRandom(1), () => {});
    expect(blocks.map(({ round }) => round)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('warmUp', () => {
  it('goes on while a codec is getting faster, and says when it was not steady in time', async () => {
    let operationMs = 4;
    const { bench } = fakeBench({});
    const faster = (count: number) => {
      operationMs *= 0.9;
      return count * operationMs;
    };
    const improving: Bench = { ...bench, time: (_payload, _codec, _operation, count) => faster(count) };
    const found = await warmUp(improving, 'tree', ['lumenize'], 20);
    expect(found.get('lumenize')).toMatchObject({ steady: false });
    const steady = await warmUp(bench, 'tree', ['lumenize'], 50);
    expect(steady.get('lumenize')).toEqual({ operationMs: 1, steady: true });
  });
});

describe('runBlock', () => {
  it('takes samples for as long as it is told to, each the mean of its operations', async () => {
    const { bench, asked } = fakeBench({ JSON: 0.5 });
    const samples = await runBlock(bench, { payload: 'tree', codec: 'JSON', operation: 'both', count: 4 }, 6);
    expect(samples).toEqual([0.5, 0.5, 0.5]);
    expect(asked).toHaveLength(3);
  });

  it('takes one where there is no time at all', async () => {
    const { bench } = fakeBench({});
    expect(await runBlock(bench, { payload: 'tree', codec: 'JSON', operation: 'both', count: 1 }, 0)).toEqual([1]);
  });
});
