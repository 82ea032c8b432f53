import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import * as culori from 'culori';
import type { TopLevelSpec } from 'vega-lite';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/engine/record.ts';
import { CHARTS, drawn } from '../../src/report/charts.ts';
import { readmeOf, withRegion } from '../../src/report/documents.ts';
import { scenarioName } from '../../src/report/names.ts';
import { readRecorded } from '../../src/report/record.ts';
import { COLORS, renderSvg } from '../../src/report/render.ts';
import { pageOf, refreshReport, reportFiles, reportRun } from '../../src/report/report.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { comparison, fixedRecord, reading } from './fixed-record.ts';

const whole = fixedRecord({ profile: 'full' });

/** How different two colours look: the distance in CIELAB, of which 2 can just be seen. */
const distance = culori.differenceEuclidean('lab');
const linear = culori.converter('lrgb');
/** Ways to see colours: as most do, and without the cones for red, green or blue. The model is one of light, and so of linear values. */
const VISIONS = {
  most: culori.filterDeficiencyProt(0),
  protanopia: culori.filterDeficiencyProt(),
  deuteranopia: culori.filterDeficiencyDeuter(),
  tritanopia: culori.filterDeficiencyTrit(),
};

describe('what is written from the newest whole run', () => {
  it('is as npm run tool -- report writes it', async () => {
    for (const [path, text] of await reportFiles()) {
      // Not `toBe`, which would print the whole file.
      expect(readFileSync(join(ROOT, path), 'utf8') === text, `${path} is stale: npm run tool -- report`).toBe(true);
    }
  });

  it('has a place in the README', () => {
    const client = { family: 'size', scenario: 'connect and call', host: 'browser', unit: 'B' } as const;
    const run = fixedRecord({
      profile: 'full',
      rows: [
        ...whole.rows,
        { ...client, subject: 'lumenize', value: 25_400 },
        { ...client, subject: 'capnweb', value: 15_100 },
      ],
    });
    const readme = readmeOf(run, readFileSync(join(ROOT, 'README.md'), 'utf8'));
    expect(readme).toContain('| a write, one at a time | 0.268 ms | **0.66** (0.60–0.70) | – | – |');
    expect(readme).toContain('| a read, one at a time | 0.125 ms | 1.20 (1.15–1.25) | – | – |');
    expect(readme).toContain('| client, to connect and call, min + gzip | 25.4 kB | **0.59** (15.1 kB) | – | – |');
    expect(readme).not.toContain('100 writes in one turn |');
  });

  it('has at most twelve figures in the README', async () => {
    const readme = (await reportFiles()).get('README.md')!;
    const [, figures] = readme.split('<!-- figures: ');
    const rows = figures.split('<!-- /figures -->')[0].match(/^\| /gm)!;
    expect(rows.length - 2).toBe(12);
  });

  it('leaves documents alone but for their regions', () => {
    const text = 'before <!-- a: npm run tool -- report -->old<!-- /a --> after';
    expect(withRegion(text, 'a', 'new')).toBe('before <!-- a: npm run tool -- report -->\nnew\n<!-- /a --> after');
    expect(() => withRegion(text, 'b', 'new')).toThrow('there is no region <!-- b: npm run tool -- report -->');
  });
});

describe('npm run tool -- report', () => {
  let root: string;
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  beforeEach(() => {
    root = temporaryDirectory();
  });

  it('leaves everything as it is until there is a whole run with rows', async () => {
    write('measurements/charts/old.svg', 'old');
    write('measurements/a.json', JSON.stringify({ ...whole, schema: 1 }));
    write('measurements/b.json', JSON.stringify(fixedRecord()));
    expect(await refreshReport(root)).toEqual([]);
    expect(readdirSync(join(root, 'measurements')).toSorted()).toEqual(['a.json', 'b.json', 'charts']);
  });

  it('draws the newest whole run, and removes what is not drawn any more', async () => {
    write('measurements/charts/old.svg', 'old');
    write('measurements/a.json', JSON.stringify(whole));
    const paths = await refreshReport(root);
    expect(paths).toContain('measurements/README.md');
    expect(readdirSync(join(root, 'measurements/charts')).toSorted()).toEqual(
      paths.flatMap((path) => path.match(/charts\/(.*)/)?.[1] ?? []).toSorted(),
    );
  });

  it('writes the page of another run where it is asked to', async () => {
    write('measurements/a.json', JSON.stringify(fixedRecord()));
    const directory = await reportRun(join(root, 'measurements/a.json'), root);
    expect(readFileSync(join(directory, 'README.md'), 'utf8')).toContain('# Measurements of 2026-11-20 18:51:07');
    expect(existsSync(join(directory, 'charts/ratios-counter.svg'))).toBe(true);
    write('measurements/b.json', JSON.stringify({ ...whole, schema: 1 }));
    await expect(reportRun(join(root, 'measurements/b.json'), root)).rejects.toThrow('of another schema');
  });
});

it('the page of a run has every row and ratio, and its charts', async () => {
  const files = await pageOf(whole, [whole]);
  const page = files.get('README.md')!;
  for (const path of files.keys()) if (path !== 'README.md') expect(page).toContain(`](${path})`);
  expect(page).toContain('## Family counter\n\n- Counter operations\n- A second line\n');
  expect(page).toMatch(
    /\| workerd \| a write, one at a time \| Lumenize RPC \| ms .*\n\| +\| +\| Cap.n Web \| ms \| 0\.176 \| 1,200 \|/,
  );
});

it('the page of a run names the bars that were missed', async () => {
  const missed = (run: RunRecord) =>
    pageOf(run, [run]).then((files) => files.get('README.md')!.match(/^Missed: .*$/m)?.[0]);
  expect(await missed(whole)).toContain('gzip of connect and call');
  expect(await missed({ ...whole, bars: whole.bars.map((bar) => ({ ...bar, outcome: 'met' })) })).toBe(undefined);
});

it('scenarios have names in words, each another in its family', () => {
  const runs = readRecorded(join(ROOT, 'measurements')).filter(({ profile }) => profile === 'full');
  const rows = runs.at(-1)!.rows;
  for (const [family, own] of Map.groupBy(rows, (row) => row.family)) {
    const names = [...new Set(own.map(({ scenario }) => scenario))].map(scenarioName);
    expect(new Set(names).size, family).toBe(names.length);
    for (const name of names) expect(name).not.toMatch(/\w\/\w|getValue|-\d/);
  }
});

describe('charts', () => {
  const draw = async (name: string, runs: readonly RunRecord[] = [whole]) =>
    renderSvg(drawn(CHARTS.find((chart) => chart.name === name)!, whole, runs)!);

  it('are the same byte by byte', async () => {
    expect(await draw('ratios-counter')).toBe(await draw('ratios-counter'));
  });

  it('have a dot for each ratio, filled where it has a verdict', async () => {
    const marks = (svg: string) =>
      [...svg.matchAll(/<path transform="translate\([^>]*\bd="M[^>]*>/g)].map(([mark]) => mark);
    const svg = await draw('ratios-counter');
    const hollow = 'fill-opacity="0"';
    // The key has one for each of two baselines.
    expect(marks(svg)).toHaveLength(4 + 2);
    expect(marks(svg).filter((mark) => mark.includes(hollow))).toHaveLength(1);
  });

  it('are drawn of what is there', () => {
    const none = fixedRecord({ rows: [], comparisons: [] });
    expect(CHARTS.map((chart) => drawn(chart, none, [none]))).toEqual(CHARTS.map(() => undefined));
    const names = CHARTS.filter((chart) => drawn(chart, whole, [whole])).map(({ name }) => name);
    expect(names).toEqual(['ratios-counter', 'latency', 'bytes', 'figures-size', 'history']);
  });

  it('show the history of all runs', async () => {
    const ratio = comparison('getValue/sequential', 'capnweb', 1.2, [1.15, 1.25], 'faster');
    const runs = [1, 2, 3].map((hour) => reading(hour, 'abc', 1.1, { comparisons: [ratio] }));
    expect(await draw('history', [...runs, whole])).toContain('11-20 01:00');
  });

  it('reach no further down than a logarithmic axis', async () => {
    const of = { family: 'start', subject: 'lumenize', host: 'workerd', unit: 'ms' } as const;
    const rows = [{ ...of, scenario: 'import/client', value: 2, ci95: [-3, 7] as const, n: 2 }];
    const run = fixedRecord({ profile: 'full', rows });
    const chart = CHARTS.find(({ name }) => name === 'figures-start')!;
    expect(await renderSvg(drawn(chart, run, [run])!)).not.toContain('NaN');
  });

  it('are refused where they are not described right', async () => {
    const wrong = { data: { values: [{}] }, mark: 'bar', encoding: { nowhere: { field: 'a' } } } as TopLevelSpec;
    await expect(renderSvg(wrong)).rejects.toThrow('nowhere');
  });

  it('are in light colours that a dark page replaces', async () => {
    const svg = await draw('ratios-counter');
    expect(svg).toContain(`stroke="${COLORS.capnweb[0]}"`);
    expect(svg).toContain(`[stroke="${COLORS.capnweb[0]}"]{stroke:${COLORS.capnweb[1]}}`);
    expect(svg.replace(/<style>.*<\/style>/, '')).not.toContain(COLORS.capnweb[1]);
  });

  it.each(Object.entries(VISIONS))('tell series apart and from the page, for all eyes: %s', (_, filter) => {
    const seen = (color: string) =>
      culori.clampRgb({ ...filter<culori.Rgb>({ ...linear(color)!, mode: 'rgb' }), mode: 'lrgb' });
    const { lumenize, capnweb, raw, other, background } = COLORS;
    for (const theme of [0, 1]) {
      const shown = [lumenize, capnweb, raw, other, background].map((each) => seen(each[theme]));
      for (const [i, a] of shown.entries()) {
        for (const b of shown.slice(i + 1)) expect(distance(a, b)).toBeGreaterThan(10);
      }
    }
  });
});
