import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TopLevelSpec } from 'vega-lite';
import { describe, expect, it } from 'vitest';
import { readShortRuns } from '../src/report/read-runs.ts';
import { renderSvg } from '../src/report/render-svg.ts';
import { CHARTS, reportOf } from '../src/report/report.ts';
import { THEMES } from '../src/report/theme.ts';
import { ROOT } from '../src/root.ts';
import { comparison, fixedRun } from './support/fixed-run.ts';

const [light, dark] = THEMES;

/** The texts of a drawing, in the order in which they were drawn. */
const texts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]+)<\/text>/g)].map(([, text]) => text);
const dots = (svg: string) => [...svg.matchAll(/<path[^>]* d="M[^"]*A[^>]*>/g)].map(([dot]) => dot);
const width = (svg: string) => svg.match(/<svg[^>]* width="(\d+)"/)?.[1];

async function drawn(name: string, ...runs: Parameters<typeof reportOf>[0]): Promise<string> {
  return (await reportOf(runs)).get(name)!;
}

describe('measurements/charts', () => {
  it('shows the runs that are there; npm run report draws it', async () => {
    const files = await reportOf(readShortRuns(join(ROOT, 'measurements')));
    expect(readdirSync(join(ROOT, CHARTS)).toSorted()).toEqual([...files.keys()].toSorted());
    for (const [name, content] of files) {
      // Not `toBe`, which would print the whole drawing.
      expect(readFileSync(join(ROOT, CHARTS, name), 'utf8') === content, `${name} is stale: npm run report`).toBe(true);
    }
  });
});

describe('readShortRuns', () => {
  it('reads the runs of the short profile only, oldest first', () => {
    const directory = mkdtempSync(join(tmpdir(), 'benchmark-report-'));
    try {
      const write = (name: string, run: object) => writeFileSync(join(directory, name), JSON.stringify(run));
      write('a.json', fixedRun({ commit: 'newer00', takenAt: '2026-11-22T00:00:00.000Z' }));
      write('b.json', fixedRun({ commit: 'older00' }));
      write('c.json', fixedRun({ commit: 'other00', profile: 'pipeline' }));
      writeFileSync(join(directory, 'notes.txt'), 'no run');
      expect(readShortRuns(directory).map(({ commit }) => commit)).toEqual(['older00', 'newer00']);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('the chart of ratios', () => {
  it('has a row for each baseline, the highest against Cap’n Web first, losses too', async () => {
    const svg = await drawn('ratios-light.svg', fixedRun());
    const shown = texts(svg);
    expect(shown.filter((text) => text.includes(', one at a time') || text.startsWith('connect'))).toEqual([
      'getValue, one at a time',
      'connect to first result',
      'increment, one at a time',
    ]);
    expect(shown.filter((text) => text.includes('–'))).toEqual([
      '1.20 (1.15–1.25)',
      '0.90 (0.85–0.95)',
      '1.02 (0.95–1.10)',
      '0.66 (0.60–0.70)',
    ]);
  });

  it('fills the dots of verdicts only', async () => {
    const filled = dots(await drawn('ratios-light.svg', fixedRun())).map(
      (dot) => !dot.includes(`fill="${light.background}"`),
    );
    expect(filled.length).toBe(4);
    expect(filled.filter(Boolean).length).toBe(3);
  });

  it('is of the newest run', async () => {
    const newer = fixedRun({ commit: 'fff0000', comparisons: [comparison('a/b', 'capnweb', 2, [1.9, 2.1], 'faster')] });
    const svg = await drawn('ratios-light.svg', fixedRun(), newer);
    const shown = texts(svg);
    expect(shown).toContain('2.00 (1.90–2.10)');
    expect(shown).toContain('a/b');
    expect(svg).toContain('commit fff0000.');
  });

  it('is drawn in each theme’s colours', async () => {
    const files = await reportOf([fixedRun()]);
    expect(files.get('ratios-light.svg')).toContain(light.baselines.capnweb);
    expect(files.get('ratios-dark.svg')).toContain(dark.baselines.capnweb);
    expect(files.get('ratios-dark.svg')).toContain(`fill="${dark.background}"`);
    expect(files.get('ratios-dark.svg')).not.toContain(light.text);
  });
});

describe('the chart of commits', () => {
  const many = Array.from({ length: 40 }, (_, i) =>
    fixedRun({ commit: `abc${1000 + i}`, takenAt: new Date(Date.UTC(2026, 10, 20, i)).toISOString() }),
  );

  it('has a dot for each run, scenario and baseline', async () => {
    expect(dots(await drawn('history-light.svg', ...many.slice(0, 5)))).toHaveLength(5 * 4);
  });

  it('leaves a run out where it lacks a scenario', async () => {
    const short = fixedRun({ takenAt: '2026-11-21T00:00:00.000Z', comparisons: fixedRun().comparisons.slice(0, 2) });
    expect(dots(await drawn('history-light.svg', short, fixedRun()))).toHaveLength(1 + 4);
  });

  it('stays as wide with many runs, and names fewer of them', async () => {
    const svg = await drawn('history-light.svg', ...many);
    expect(width(svg)).toBe('830');
    expect(width(await drawn('ratios-light.svg', ...many))).toBe('830');
    const hidden = [...svg.matchAll(/<text[^>]* opacity="0"[^>]*><tspan>abc|<text[^>]* opacity="0"[^>]*>abc/g)].length;
    expect(hidden).toBeGreaterThan(20);
  });
});

describe('the page', () => {
  it('needs no other file, and has the figures', async () => {
    const html = await drawn('index.html', fixedRun({ commit: '<b>' }));
    expect(html.match(/<(img|source)/g)).toHaveLength(4);
    expect(html.match(/(src|srcset)="data:/g)).toHaveLength(4);
    expect(html).not.toMatch(/(src|srcset|href)="(?!data:)|@import|url\(/);
    expect(html.match(/<tr><td>/g)).toHaveLength(4);
    expect(html).toContain('commit &lt;b>');
  });
});

describe('reportOf', () => {
  it('says that there is nothing to draw', async () => {
    await expect(reportOf([])).rejects.toThrow('no run of the short profile');
  });

  it('draws nothing that is not described right', async () => {
    const wrong = { data: { values: [{}] }, mark: 'bar', encoding: { nowhere: { field: 'a' } } } as TopLevelSpec;
    await expect(renderSvg(wrong, light)).rejects.toThrow('nowhere');
  });
});
