import { beforeAll, describe, expect, it } from 'vitest';
import type { FamilyFindings } from '../src/families/family.ts';
import type { FigureResult } from '../src/families/figure-result.ts';
import { PROFILE } from '../src/families/profile.ts';
import { stepSum } from '../src/profile/tables.ts';

const SILENT = { start() {}, update() {}, stop() {} };

describe('the family profile, quickly, on workerd', () => {
  let findings: FamilyFindings;
  const figure = (scenario: string, subject: string) =>
    findings.results.find((each) => each.scenario === scenario && each.subject === subject) as FigureResult;

  beforeAll(async () => {
    findings = await PROFILE.measure({ extent: 'quick', seed: 5, progress: SILENT });
  }, 60_000);

  it.each(['getValue', 'increment', 'one-turn-100', 'connect'])('has both sides of %s of every subject', (workload) => {
    for (const subject of PROFILE.subjects) {
      const { unit, value, detail = {} } = figure(`profile/${workload}`, subject);
      expect(unit).toBe('us');
      expect(detail.calls).toBeGreaterThan(0);
      expect(detail.roundTripUs).toBeGreaterThan(0);
      expect(value).toBeCloseTo(stepSum('client', detail) + stepSum('server', detail), 9);
    }
  });

  it('finds functions of the library by their sources, on both sides', () => {
    const all = PROFILE.subjects.flatMap((subject) =>
      ['getValue', 'increment', 'one-turn-100'].map((workload) => figure(`profile/${workload}`, subject).detail ?? {}),
    );
    for (const side of ['client', 'server'] as const) {
      const known = all.reduce((sum, detail) => sum + stepSum(side, detail), 0);
      const other = all.reduce((sum, detail) => sum + (detail[`${side}OtherUs`] ?? 0), 0);
      expect(known).toBeGreaterThan(0);
      expect(other).toBeLessThan(known / 2);
    }
  });

  it('counts the frames that a call takes', () => {
    const { framesUp, framesDown, bytesUp } = figure('profile/getValue', 'lumenize').detail!;
    expect({ framesUp, framesDown }).toEqual({ framesUp: 1, framesDown: 1 });
    // 6 bytes are the frame's header and mask.
    expect(bytesUp).toBeLessThan(6 + 30);
    expect(figure('profile/getValue', 'capnweb').detail!.framesUp).toBe(3);
  });

  it('models links from that, one round trip for a call', () => {
    for (const subject of PROFILE.subjects) {
      const { unit, value, detail = {} } = figure('modelled/getValue', subject);
      expect(unit).toBe('ms');
      expect(detail.roundTrips).toBe(1);
      expect(value).toBe(detail.mbit10Base50Ms);
      expect(value).toBeCloseTo(50 + (detail.bytes * 8) / 10_000 + detail.processingUs / 1000, 9);
    }
  });

  it('says what a subject cannot do', () => {
    expect(findings.results).toContainEqual(
      expect.objectContaining({ scenario: 'profile/chain-3', subject: 'raw', unavailable: expect.any(String) }),
    );
  });

  it('tells steps, and what is modelled apart', () => {
    const { results, analysis, variance } = PROFILE.entry(findings);
    expect(results).toMatch(/profile\/getValue: µs per call by step[\s\S]*modelled\/getValue, MODELLED, not measured/);
    expect(results).toContain('profile/chain-3, raw: not available');
    expect(analysis[0]).toMatch(/^Profiling made calls take/);
    expect(variance).toEqual(['One launch: nothing is known of how launches differ.']);
  });
});

it('rejects subjects and hosts that it does not know', async () => {
  const context = { extent: 'quick', seed: 1, progress: SILENT } as const;
  await expect(PROFILE.measure({ ...context, subjects: ['native'] })).rejects.toThrow(
    'no subject of the family profile',
  );
  await expect(PROFILE.measure({ ...context, hosts: ['wrangler-dev'] })).rejects.toThrow('no host of the family');
});
