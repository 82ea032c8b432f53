import { describe, expect, it } from 'vitest';
import { gather } from '../src/engine/gather.ts';
import { MEMORY, ratios } from '../src/families/memory/memory.ts';
import { measureQuickly, namesOf } from './support/quickly.ts';

const SUBJECTS = ['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'];

describe.runIf(process.platform === 'linux')('the family memory', { timeout: 120_000 }, () => {
  it('looks at workerd with connections of every subject, awake and hibernating, and under load', async () => {
    const { rows } = await measureQuickly(MEMORY);
    const of = (wanted: string) => rows.filter(({ scenario, value }) => scenario === wanted && value !== undefined);
    const subjects = (wanted: string) => of(wanted).map(({ subject }) => subject);
    expect(subjects('connection/awake')).toEqual(SUBJECTS);
    expect(subjects('connection/hibernating')).toEqual(['lumenize', 'raw']);
    for (const { unit, detail } of [...of('connection/awake'), ...of('connection/hibernating')]) {
      expect(unit).toBe('B/connection');
      expect(detail).toMatchObject({ connections: 20, connectionsWanted: 20, openFilesPerConnection: 2 });
      expect(detail!.residentAt20Bytes).toBeGreaterThan(10e6);
    }
    expect(namesOf(rows.filter((row) => row.cannot !== undefined))).toEqual(
      ['lumenize-accept', 'capnweb', 'raw-accept'].map((subject) => `connection/hibernating ${subject}`),
    );
    expect(subjects('process/under-load')).toEqual(SUBJECTS);
    for (const { value, detail } of of('process/under-load')) {
      expect(detail!.calls).toBeGreaterThanOrEqual(20);
      expect(value).toBeGreaterThan(detail!.idleBytes);
    }
    // Ten servers with connections that idle, and five under load.
    expect(of('process/idle')[0].n).toBe(15);
    // Frames that may be compressed take buffers, of all but Lumenize RPC, which refuses.
    expect(subjects('connection/hibernating, compressed')).toEqual(['raw']);
    expect(subjects('connection/awake, compressed')).toEqual(['capnweb']);
  });

  it('opens no connection of subjects that are not wanted', async () => {
    const { rows } = await measureQuickly(MEMORY, { subjects: ['raw-accept'] });
    expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set(['workerd', 'raw-accept']));
  });
});

describe('the ratios of memory', () => {
  const rowOf = (...rounds: (readonly [ours: number, again: number])[]) => {
    const reports = rounds.map(([ours, again]) => {
      const slopes = { 'lumenize hibernating': ours, 'lumenize hibernating again': again, 'raw hibernating': 2000 };
      return { figures: ratios(new Map(Object.entries(slopes))) };
    });
    const of = { family: 'memory', host: 'workerd', subjects: SUBJECTS, plan: { scenarios: [] } } as const;
    const rows = gather({ ...of, reports, wire: [] });
    const named = (baseline: string) => `connection/hibernating, ratio to ${baseline}`;
    return (baseline: string) => rows.find(({ scenario }) => scenario === named(baseline))!;
  };

  it('are of connections in one round, and their mean is the geometric one', () => {
    const of = rowOf([1000, 1000], [4000, 2000]);
    expect(of('raw')).toMatchObject({ subject: 'lumenize', unit: 'ratio', n: 2 });
    expect(of('raw').value).toBeCloseTo(1, 9);
    expect(of('lumenize').value).toBeCloseTo(Math.SQRT2, 9);
    expect(of('raw').ci95![0] * of('raw').ci95![1]).toBeCloseTo(1, 9);
  });

  it('leave out rounds in which noise hides what a connection costs', () => {
    expect(rowOf([-50, 2000], [2000, 2000], [2000, 2000])('raw')).toMatchObject({ n: 2, value: 1 });
  });
});
