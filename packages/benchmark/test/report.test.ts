import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import type { TopLevelSpec } from 'vega-lite';
import { describe, expect, it } from 'vitest';
import { readRecorded } from '../src/recorded/read-recorded.ts';
import type { RecordedRun } from '../src/recorded/recorded-run.ts';
import { CHARTS } from '../src/report/charts/all.ts';
import { documentsOf } from '../src/report/documents/documents.ts';
import { ratioTable } from '../src/report/documents/ratio-table.ts';
import { withRegion } from '../src/report/documents/region.ts';
import { readIn, refreshReport } from '../src/report/refresh-report.ts';
import { DIRECTORY, reportOf } from '../src/report/report.ts';
import { renderSvg } from '../src/report/svg/render-svg.ts';
import { THEMES } from '../src/report/theme.ts';
import { comparison } from './support/fixed-run.ts';
import { recorded } from './support/recorded.ts';
import { dots, filled, texts, width } from './support/svg.ts';

const [light, dark] = THEMES;

async function drawn(name: string, ...runs: readonly RecordedRun[]): Promise<string> {
  return (await reportOf(runs)).get(name)!;
}

describe('measurements/charts', () => {
  it('shows the runs that are there; npm run report draws it', async () => {
    const files = await reportOf(readRecorded(join(ROOT, 'measurements')));
    expect(readdirSync(join(ROOT, DIRECTORY)).toSorted()).toEqual([...files.keys()].toSorted());
    for (const [name, content] of files) {
      // Not `toBe`, which would print the whole drawing.
      const same = readFileSync(join(ROOT, DIRECTORY, name), 'utf8') === content;
      expect(same, `${name} is stale: npm run report`).toBe(true);
    }
  });
});

describe('the documents', () => {
  it('have the figures of the newest full entry; npm run report writes them', () => {
    const documents = documentsOf(readRecorded(join(ROOT, 'measurements')), (path) => readIn(ROOT, path));
    expect([...documents.keys()]).toEqual(['README.md', 'docs/benchmarks.md']);
    for (const [path, content] of documents) {
      expect(readIn(ROOT, path) === content, `${path} is stale: npm run report`).toBe(true);
    }
  });

  it('show losses in bold, and what is inconclusive as such', () => {
    const slower = comparison('getValue/sequential', 'capnweb', 0.9, [0.85, 0.95], 'slower');
    const open = comparison('getValue/sequential', 'raw', 1.2, [0.5, 2], 'no conclusion');
    const table = ratioTable(recorded({ comparisons: [slower, open] }));
    expect(table).toContain('| a read, one at a time | **0.90** (0.85–0.95) | – | 1.20, no conclusion | – |');
    expect(table.split('\n')).toHaveLength(3);
  });

  it('are left alone but for their regions', () => {
    const text = 'before <!-- a: npm run report -->old<!-- /a --> after';
    expect(withRegion(text, 'a', 'new')).toBe('before <!-- a: npm run report -->\nnew\n<!-- /a --> after');
    expect(() => withRegion(text, 'b', 'new')).toThrow('there is no region <!-- b: npm run report -->');
  });
});

describe('refreshReport', () => {
  it('draws what the files have, oldest first, and removes what is not drawn any more', async () => {
    const root = mkdtempSync(join(tmpdir(), 'benchmark-report-'));
    try {
      expect(await refreshReport(root)).toEqual([]);
      expect(existsSync(join(root, DIRECTORY))).toBe(false);
      mkdirSync(join(root, DIRECTORY), { recursive: true });
      writeFileSync(join(root, DIRECTORY, 'old-light.svg'), '');
      const write = (name: string, run: object) => writeFileSync(join(root, 'measurements', name), JSON.stringify(run));
      write('a.json', recorded({ commit: 'newer00', takenAt: '2026-11-22T00:00:00.000Z' }));
      write('b.json', recorded({ commit: 'older00' }));
      writeFileSync(join(root, 'measurements', 'notes.txt'), 'no run');
      const names = await refreshReport(root);
      expect(readdirSync(join(root, DIRECTORY)).toSorted()).toEqual(names.toSorted());
      expect(names).toContain('ratios-light.svg');
      expect(names).not.toContain('links-light.svg');
      expect(readFileSync(join(root, DIRECTORY, 'ratios-light.svg'), 'utf8')).toContain('commit newer00.');
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('the chart of ratios', () => {
  it('has a row for each baseline, the highest against Cap’n Web first, losses too', async () => {
    const shown = texts(await drawn('ratios-light.svg', recorded()));
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
    const svg = await drawn('ratios-light.svg', recorded());
    expect(dots(svg)).toHaveLength(4);
    expect(filled(svg, light)).toHaveLength(3);
  });

  it.each(['short', 'full'])('is of the newest run of the short profile or of the full one: %s', async (profile) => {
    const comparisons = [comparison('increment/sequential', 'capnweb', 2, [1.9, 2.1], 'faster')];
    const newer = recorded({ commit: 'fff0000', profile, comparisons });
    const svg = await drawn('ratios-light.svg', recorded(), newer, recorded({ profile: 'pipeline' }));
    expect(texts(svg)).toContain('2.00 (1.90–2.10)');
    expect(svg).toContain('commit fff0000.');
  });

  it('leaves to other charts what is in the full profile only for detail', async () => {
    const scenarios = [
      'echo/rows-200',
      'call/getValue',
      'events/to-100',
      'events/to-1000',
      'increment/sequential-1000',
    ];
    const comparisons = scenarios.map((scenario) => comparison(scenario, 'capnweb', 2, [1.9, 2.1], 'faster'));
    const shown = texts(await drawn('ratios-light.svg', recorded({ profile: 'full', comparisons })));
    expect(shown).toContain('200 rows there and back');
    expect(shown).toContain('an event to 1000');
    expect(shown.filter((text) => text === '2.00 (1.90–2.10)')).toHaveLength(2);
  });

  it('is drawn in each theme’s colours', async () => {
    const files = await reportOf([recorded()]);
    expect(files.get('ratios-light.svg')).toContain(light.series.capnweb);
    expect(files.get('ratios-dark.svg')).toContain(dark.series.capnweb);
    expect(files.get('ratios-dark.svg')).toContain(`fill="${dark.background}"`);
    expect(files.get('ratios-dark.svg')).not.toContain(light.text);
  });
});

describe('the chart of commits', () => {
  const many = Array.from({ length: 40 }, (_, i) =>
    recorded({ commit: `abc${1000 + i}`, takenAt: new Date(Date.UTC(2026, 10, 20, i)).toISOString() }),
  );
  // Beside those of the points, the key has one for each baseline.
  const KEY = 2;

  it('has a dot for each run, scenario and baseline', async () => {
    expect(dots(await drawn('history-light.svg', ...many.slice(0, 5)))).toHaveLength(5 * 4 + KEY);
  });

  it('leaves a run out where it lacks a scenario', async () => {
    const short = recorded({ takenAt: '2026-11-19T00:00:00.000Z', comparisons: recorded().comparisons.slice(0, 2) });
    expect(dots(await drawn('history-light.svg', short, recorded()))).toHaveLength(1 + 4 + KEY);
  });

  it('stays as wide with many runs, and names fewer of them', async () => {
    const svg = await drawn('history-light.svg', ...many);
    expect(width(svg)).toBe('830');
    const hidden = [...svg.matchAll(/<text[^>]* opacity="0"[^>]*><tspan>abc|<text[^>]* opacity="0"[^>]*>abc/g)].length;
    expect(hidden).toBeGreaterThan(20);
  });
});

describe('the page', () => {
  it('needs no other file, and has each chart once, in the colours of the page', async () => {
    const files = await reportOf([recorded({ commit: '<b>' })]);
    const html = files.get('index.html')!;
    expect(html.match(/<svg role="img"/g)).toHaveLength(
      [...files.keys()].filter((name) => name.endsWith('light.svg')).length,
    );
    expect(html).not.toMatch(/ (src|srcset|href)=|@import|url\(/);
    expect(html).toContain('commit &lt;b>');
    const drawings = html.slice(html.indexOf('<svg'));
    for (const { series } of THEMES) {
      expect(html).toContain(series.capnweb);
      expect(drawings).not.toContain(series.capnweb);
    }
  });

  it('says of what there are no figures of how to measure it', async () => {
    const html = await drawn('index.html', recorded());
    expect(html).toContain('Not measured yet: <code>npm run measure -- --family links</code>');
    expect(html.match(/<h2>/g)).toHaveLength(CHARTS.length);
    expect(html).not.toContain('<code>npm test -- performance</code>');
  });
});

describe('reportOf', () => {
  it('says that there is nothing to draw', async () => {
    await expect(reportOf([])).rejects.toThrow('no run to draw');
  });

  it('draws nothing that is not described right', async () => {
    const wrong = { data: { values: [{}] }, mark: 'bar', encoding: { nowhere: { field: 'a' } } } as TopLevelSpec;
    await expect(renderSvg(wrong, light)).rejects.toThrow('nowhere');
  });
});
