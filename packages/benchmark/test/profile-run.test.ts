import { beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../src/engine/row.ts';
import { PROFILE } from '../src/families/profile/profile.ts';
import { measureQuickly } from './support/quickly.ts';

const WORKLOADS = ['getValue', 'increment', 'one-turn-100', 'connect'];

/** The sum of what a side takes, in all places or in those that begin so. */
function sumOf(side: 'client' | 'server', { detail = {} }: Row, place = ''): number {
  return Object.entries(detail).reduce((sum, [key, us]) => (key.startsWith(`${side}Us ${place}`) ? sum + us : sum), 0);
}

describe('the family profile, quickly, on workerd', () => {
  let rows: readonly Row[];
  const row = (scenario: string, subject: string) =>
    rows.find((each) => each.scenario === scenario && each.subject === subject)!;

  beforeAll(async () => {
    ({ rows } = await measureQuickly(PROFILE));
  }, 180_000);

  it.each(WORKLOADS)('has both sides of %s of every subject', (workload) => {
    for (const subject of PROFILE.subjects) {
      const found = row(`profile/${workload}`, subject);
      expect(found.unit).toBe('us');
      expect(found.detail!.calls).toBeGreaterThan(0);
      expect(found.detail!.roundTripUs).toBeGreaterThan(0);
      expect(found.value).toBeCloseTo(sumOf('client', found) + sumOf('server', found), 6);
    }
  });

  it('finds functions of the libraries by their sources, on both sides', () => {
    for (const [subject, place] of Object.entries({ lumenize: 'rpc/', 'capnweb-plain': 'capnweb/' })) {
      const all = WORKLOADS.map((name) => row(`profile/${name}`, subject));
      for (const side of ['client', 'server'] as const) {
        expect(all.reduce((sum, each) => sum + sumOf(side, each, place), 0)).toBeGreaterThan(0);
        // Whatever has no source would keep the path of the bundle.
        expect(
          all.flatMap(({ detail = {} }) => Object.keys(detail)).filter((key) => /Us .*(mjs|file:)/.test(key)),
        ).toEqual([]);
      }
    }
  });

  it('says what a subject cannot do', () => {
    expect(row('profile/chain-3', 'raw-plain')).toMatchObject({ cannot: expect.any(String) });
    expect(row('profile/wake', 'capnweb-plain')).toMatchObject({ cannot: expect.any(String) });
  });
});
