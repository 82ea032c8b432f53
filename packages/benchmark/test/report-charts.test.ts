import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { describe, expect, it } from 'vitest';
import { readRecorded } from '../src/recorded/read-recorded.ts';
import { CHARTS } from '../src/report/charts/all.ts';
import { percentileCurve } from '../src/report/percentiles.ts';
import { reportOf } from '../src/report/report.ts';
import { SHAPES } from '../src/report/series.ts';
import { THEMES } from '../src/report/theme.ts';
import { colorDistance, VISIONS } from './support/color-vision.ts';
import { recorded } from './support/recorded.ts';
import { runOfEverything, times } from './support/report-runs.ts';
import { dots, height, overlaps, texts, width } from './support/svg.ts';

const files = await reportOf([runOfEverything()]);
const real = await reportOf(readRecorded(join(ROOT, 'measurements')));
const drawn = (name: string) => files.get(`${name}-light.svg`)!;

/** Letters of 12 px that surely fit into a line of a chart. */
const LINE = 115;

describe('every chart', () => {
  it.each(CHARTS.map(({ name }) => name))(
    'has a drawing as wide as a README, small, and with letters of 11 px or more: %s',
    (name) => {
      const svg = drawn(name);
      expect(width(svg)).toBe('830');
      expect(height(real.get(`${name}-light.svg`) ?? svg)).toBeLessThanOrEqual(1000);
      expect(svg.length).toBeLessThan(80_000);
      const sizes = [...svg.matchAll(/font-size="(\d+)px"/g)].map(([, size]) => Number(size));
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(11);
      for (const text of texts(svg)) expect(text.length, text).toBeLessThanOrEqual(LINE);
      expect(svg.match(/NaN|undefined| (?:d|transform)="[^"]*\.\d\d/)).toBeNull();
    },
  );

  const panels = ['history', 'latency', 'capacity', 'modelled'];
  it.each(CHARTS.map(({ name }) => name).filter((name) => !panels.includes(name)))(
    'has no text over another: %s',
    (name) => {
      expect(overlaps(drawn(name))).toEqual([]);
      expect(overlaps(real.get(`${name}-light.svg`) ?? '')).toEqual([]);
    },
  );

  it('leave out what was measured of another state of the code, or of another machine', async () => {
    const run = runOfEverything();
    const changed = { ...run, takenAt: '2030-01-01T00:00:00.000Z', results: [], profile: 'change' };
    expect(await reportOf([run, changed, { ...changed, profile: 'deployed' }])).toEqual(files);
  });

  it('is drawn of the newest run that has its data, and not at all without', async () => {
    const older = runOfEverything({ commit: 'aaa0000', takenAt: '2026-11-20T00:00:00.000Z' });
    const mixed = await reportOf([older, recorded({ results: [], comparisons: [], profile: 'values' })]);
    expect([...mixed.keys()]).toEqual([...files.keys()]);
    for (const { name } of CHARTS) expect(mixed.get(`${name}-dark.svg`), name).toContain('aaa0000');
    expect([...(await reportOf([recorded({ results: [], comparisons: [] })])).keys()]).toEqual(['index.html']);
  });
});

describe('colours', () => {
  const pairs = (names: readonly string[]) => names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b] as const));

  it.each(THEMES)('are told apart by everybody who sees some: $name', ({ series, background }) => {
    const colors = { ...series, background };
    for (const [a, b] of pairs(Object.keys(colors))) {
      for (const vision of VISIONS) {
        const distance = colorDistance(colors[a as keyof typeof colors], colors[b as keyof typeof colors], vision);
        expect(distance, `${a} and ${b} to ${vision.name}`).toBeGreaterThan(20);
      }
    }
  });

  it('come with shapes, for who sees none', () => {
    expect(new Set(Object.values(SHAPES)).size).toBe(Object.keys(SHAPES).length);
  });
});

describe('percentileCurve', () => {
  it('has the percentiles of the samples, those that ten samples are beyond', () => {
    const of = (n: number) => percentileCurve(times('a', 'raw', 1, {}, n));
    expect(of(100).map(([at]) => at)).toEqual([0.0458, 0.1249, 0.301, 0.6021, 1]);
    expect(of(1000).at(-1)?.[0]).toBe(2);
    expect(of(10_000).at(-1)?.[0]).toBe(3);
    const [, , [, median]] = of(1000);
    expect(median).toBeCloseTo(1, 1);
  });
});

describe('the charts', () => {
  it.each([
    ['bytes', '16 + 5 B', 'per operation'],
    ['frames', '3 + 1', 'getValue, one at a time'],
    ['links', '20.00 / 28.00 / 21.00', 'cable: 20 ms, 100/20 Mbit/s'],
    ['links', '46.67 / 65.33 / –', 'chain of three calls'],
    ['memory', '20.0 kB (18.0–22.0)', 'hibernating'],
    ['features', '+34.0 µs (+30.0 to +41.0)', 'exactly-once'],
    ['features', '−2.00 µs (−6.00 to +5.00)', 'one call at a time'],
    ['profile', '29.0 µs', 'Lumenize RPC, client'],
    ['values', 'devalue 0.80 (0.70–0.90)', 'rows-200'],
    ['transports', '0.95 (0.90–1.00)', 'getValue, over HTTP'],
    ['events', '5.00 (4.50–5.50)', 'an event to 1000'],
    ['pipeline', '1.60 (1.50–1.70)', 'chain of three calls'],
    ['throughput', '2.20 (2.10–2.30)', '20 connections, 1 in flight'],
    ['profile-large', '79.0 µs', 'connect to first result'],
    ['size', '7.9 kB', 'a page, to connect and call'],
    ['start', '20.00 ms (18.00–22.00)', 'import the client'],
    ['start', '1.500 ms (-0.100–3.000)', 'wake, first result'],
    ['gateway', '1.30 (1.20–1.40)', 'ping, without state'],
    ['size', '4.0 kB', '– and for answering'],
    ['ratios', '0.80 (0.70–0.90)', '– uncompressed'],
  ])('say it in figures: %s %s', (name, figures, title) => {
    const shown = texts(drawn(name));
    expect(shown).toContain(figures);
    expect(shown.join('\n')).toContain(title);
  });

  it('draw no curve of a handful of samples, and no p99 where nothing was answered', async () => {
    const few = times('latency/ping', 'lumenize', 1, {}, 5);
    expect((await reportOf([recorded({ results: [few] })])).has('latency-light.svg')).toBe(false);
    const results = runOfEverything().results.map((result) => {
      if (!('ladders' in result)) return result;
      const ladders = result.ladders.map(({ rungs: [first, ...more], ...ladder }) => ({
        ...ladder,
        rungs: [{ ...first, offeredPerSecond: 0 }, { ...first, p99Ms: 0, completedPerSecond: 0, errors: 9 }, ...more],
      }));
      return { ...result, ladders };
    });
    expect((await reportOf([recorded({ results })])).has('capacity-light.svg')).toBe(true);
  });

  it('mark the knee of every subject, on both curves', () => {
    const rings = (strokeWidth: string) => drawn('capacity').split(`stroke-width="${strokeWidth}"`).length - 1;
    expect(rings('2.5')).toBe(4 * 2 * 3);
    // Thinner where sockets are not compressed.
    expect(rings('1.5')).toBe(4 * 2 * 2);
    expect(texts(drawn('capacity'))).toContain('SQLite insert, 16 objects: p99');
  });

  it('say of what is modelled that it is, and have a panel for each operation', () => {
    const shown = texts(drawn('modelled'));
    expect(shown).toContain('What links would make of calls: modelled, not measured');
    expect(shown.filter((text) => text === 'base round trip in ms, logarithmic')).toHaveLength(2);
    expect(shown).toEqual(expect.arrayContaining(['getValue, one at a time', '200 rows there and back', '200']));
  });

  it('leave native codecs out', () => {
    expect(texts(drawn('values')).join(' ')).not.toContain('v8');
    // JSON, devalue, and the three of the key.
    expect(dots(drawn('values'))).toHaveLength(5);
  });

  it('share what a turn costs among its calls', async () => {
    const turn = times('increment/one-turn-100', 'lumenize', 1, {
      ...{ sample: 'turn', n: 20, blocks: 20, blockOperations: 100 },
      ...{ framesUp: 1, framesDown: 1, bytesUp: 411, bytesDown: 272 },
    });
    const of = await reportOf([recorded({ results: [turn] })]);
    expect(texts(of.get('bytes-light.svg')!)).toContain('4.11 + 2.72 B');
    expect(texts(of.get('frames-light.svg')!)).toContain('0.01 + 0.01');
  });
});
