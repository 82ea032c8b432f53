import { expect, it } from 'vitest';
import { MEMORY, ratios } from '../src/families/memory.ts';
import { measureQuickly } from './support/quickly.ts';

const SUBJECTS = ['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'];

it.runIf(process.platform === 'linux')(
  'the family memory looks at workerd with connections of every subject, awake and hibernating',
  { timeout: 120_000 },
  async () => {
    const { of, missing } = await measureQuickly(MEMORY);
    const subjects = (wanted: string) => of(wanted).map(({ subject }) => subject);
    expect(subjects('connection/awake')).toEqual(SUBJECTS);
    expect(subjects('connection/hibernating')).toEqual(['lumenize', 'raw']);
    for (const { unit, detail } of [...of('connection/awake'), ...of('connection/hibernating')]) {
      expect(unit).toBe('B/connection');
      expect(detail).toMatchObject({ connections: 20, connectionsWanted: 20, openFilesPerConnection: 2 });
      expect(detail!.residentAt20Bytes).toBeGreaterThan(10e6);
    }
    expect(missing).toEqual(
      ['lumenize-accept', 'capnweb', 'raw-accept'].map((subject) => `connection/hibernating ${subject}`),
    );
    expect(of('process/idle')[0].n).toBe(10);
    // Frames that may be compressed take buffers, of all but Lumenize RPC, which refuses.
    expect(subjects('connection/hibernating, compressed')).toEqual(['raw']);
    expect(subjects('connection/awake, compressed')).toEqual(['capnweb']);
  },
);

it('the ratios of memory are of connections in one round; where noise hides what one costs, there is none', () => {
  const of = (ours: number, again: number) => {
    const slopes = { 'lumenize hibernating': ours, 'lumenize hibernating again': again, 'raw hibernating': 2000 };
    return ratios(new Map(Object.entries(slopes))).map(({ scenario, arm, unit, value }) => [
      scenario,
      arm,
      unit,
      value,
    ]);
  };
  const [raw, lumenize] = ['raw', 'lumenize'].map((baseline) => `connection/hibernating, ratio to ${baseline}`);
  expect(of(4000, 2000)).toEqual([
    [raw, 'lumenize', 'ratio', 2],
    [lumenize, 'lumenize', 'ratio', 2],
  ]);
  expect(of(1000, -50)).toEqual([[raw, 'lumenize', 'ratio', 0.5]]);
  expect(of(-50, 2000)).toEqual([]);
});
