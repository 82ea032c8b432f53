import { describe, expect, it } from 'vitest';
import { FAMILIES, familiesFor } from '../src/families/all.ts';
import type { Family, FamilyContext } from '../src/families/family.ts';
import type { FigureResult } from '../src/families/figure-result.ts';
import { runFamilies } from '../src/families/run-families.ts';
import { comparison } from './support/fixed-run.ts';

const SILENT = { start() {}, update() {}, stop() {} };

function family(name: string, subjects: readonly string[], heard: FamilyContext[]): Family {
  const result: FigureResult = {
    family: name,
    scenario: 'x',
    subject: 'lumenize',
    host: 'workerd',
    unit: 'B',
    value: 1,
    n: 1,
  };
  return {
    name,
    about: `about ${name}`,
    subjects,
    hosts: ['workerd'],
    async measure(context) {
      heard.push(context);
      context.progress.update(1, 'launch 1');
      const { family: _, ...ratio } = comparison(`${name}/x`, 'capnweb', 2, [1.9, 2.1], 'faster');
      return { results: [result], comparisons: [ratio], launches: [] };
    },
    entry: ({ results }) => ({
      configuration: [`${results.length} result`],
      results: `${name}'s table`,
      comparison: '',
      variance: [],
      analysis: [],
      bars: [],
    }),
  };
}

describe('runFamilies', () => {
  it('measures one family after the other, and puts what they found together under their names', async () => {
    const heard: FamilyContext[] = [];
    const doing: string[] = [];
    const progress = { ...SILENT, update: (_: number, text: string) => void doing.push(text) };
    const families = [family('one', ['lumenize', 'raw'], heard), family('two', ['lumenize'], heard)];
    const { record, parts } = await runFamilies('full', families, {
      ...{ extent: 'whole', seed: 7, progress, subjects: ['raw'] },
    });

    expect(heard.map(({ subjects, extent, seed }) => ({ subjects, extent, seed }))).toEqual([
      { subjects: ['raw'], extent: 'whole', seed: 7 },
      { subjects: [], extent: 'whole', seed: 7 },
    ]);
    expect(doing).toEqual(['one (1 of 2): launch 1', 'two (2 of 2): launch 1']);
    expect(record).toMatchObject({ profile: 'full', seed: 7, schema: 1 });
    expect(record.families.map(({ name, configuration }) => [name, configuration])).toEqual([
      ['one', ['1 result']],
      ['two', ['1 result']],
    ]);
    expect(record.results.map((each) => each.family)).toEqual(['one', 'two']);
    expect(record.comparisons.map((each) => `${each.family} ${each.scenario}`)).toEqual(['one one/x', 'two two/x']);
    expect(parts.map((part) => part.entry.results)).toEqual(["one's table", "two's table"]);
  });

  it('names the family that fails', async () => {
    const failing: Family = { ...family('three', [], []), measure: () => Promise.reject(new Error('7 instead of 8')) };
    await expect(runFamilies('full', [failing], { extent: 'whole', seed: 7, progress: SILENT })).rejects.toThrow(
      'the family three failed: 7 instead of 8',
    );
  });
});

describe('familiesFor', () => {
  const names = (...args: Parameters<typeof familiesFor>) => familiesFor(...args).map(({ name }) => name);

  it('takes all, those that are named, and those that know a subject and a host', () => {
    expect(names(undefined, {})).toEqual([...FAMILIES.keys()]);
    expect(names(['events', 'counter'], {})).toEqual(['counter', 'events']);
    expect(names(undefined, { subjects: ['cbor-x'] })).toEqual(['values']);
    expect(names(undefined, { subjects: ['cbor-x', 'raw-one-frame'] })).toEqual(['counter', 'links', 'values']);
    expect(names(undefined, { hosts: ['node'] })).toEqual(['values']);
    expect(names(undefined, { payloads: ['tree'] })).toEqual(['values']);
  });

  it('says what there is where nothing is called so', () => {
    expect(() => names(['count'], {})).toThrow('no family is called count; there are counter, pipeline');
    expect(() => names(['counter'], { subjects: ['cbor-x'] })).toThrow(
      'no subject of the family counter is called cbor-x; there are lumenize',
    );
    expect(() => names(undefined, { hosts: ['bun'] })).toThrow('no host of any family is called bun');
    expect(() => names(['counter'], { payloads: ['tree'] })).toThrow('--payload is for the family values');
  });
});
