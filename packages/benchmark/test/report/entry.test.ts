import { describe, expect, it } from 'vitest';
import { buildEntry, MOST_LINES, terminalReport } from '../../src/report/log.ts';
import { comparison, fixedRecord, manyRows } from './fixed-record.ts';

const TEXTS = {
  ...{ title: 'A title', description: 'What was measured.', changes: ['abc1234 Send fewer frames'] },
  file: 'measurements/run.json',
};
const lines = (entry: string) => entry.split('\n').length;

describe('an entry of the log', () => {
  const entry = buildEntry(fixedRecord(), TEXTS);

  it('has the headings of the log in their order', () => {
    expect(entry.startsWith('### 2026-11-20 18:51:07 [A title]\n\n**Git Hash**: abc1234\n')).toBe(true);
    expect([...entry.matchAll(/^\*\*([^*]+)\*\*[: ]/gm)].map(([, heading]) => heading)).toEqual([
      ...['Git Hash', 'Description', 'Changes', 'Test Configuration', 'Results', 'Performance Comparison'],
      ...['Variance', 'Conclusion'],
    ]);
  });

  it.each([
    [
      'begins its results with the lines of the upstream log',
      '```\nLumenize RPC - 100 increments:\n  Total: 26.75ms\n  Average: 0.268ms per operation\n  Throughput: 3738.3 ops/sec\n',
      "Cap'n Web - 100 getValue calls:\n  Total: 15.00ms\n",
    ],
    [
      'shows what is lost like what is won, and what is open',
      '| workerd | increment/sequential | Lumenize RPC | 0.66 (0.60–0.70) slower |  | 1.01 (0.97–1.04) no difference shown |',
      '| workerd | getValue/sequential | Lumenize RPC | 1.20 (1.15–1.25) faster | 0.90 (0.85–0.95) slower |',
      '| Lumenize RPC against hand-written JSON |  | 1 |  | getValue/sequential on workerd 0.90 |\n',
      '| A/A |  |  | 2 |  |\n',
    ],
    [
      'says how steady the run was',
      '| place | launches | blocks vary by | A/A | not steady after warm-up | client late by (p99) |\n' +
        '| --- | --- | --- | --- | --- | --- |\n| workerd | 3 | 8.0 % | 1.00–1.01 | 0 of 3 | 1.3 ms |\n',
    ],
  ])('%s', (_, ...texts) => {
    for (const text of texts) expect(entry).toContain(text);
  });

  it('names where the method does not hold', () => {
    const broken = comparison('getValue/sequential', 'lumenize', 1.2, [1.1, 1.3], 'faster');
    const text = buildEntry(fixedRecord({ comparisons: [broken] }), TEXTS);
    expect(text).toContain('| A/A | 1 | getValue/sequential on workerd 1.20 |\n');
  });

  it('has figures where nothing is compared', () => {
    const text = buildEntry(fixedRecord({ profile: 'size', comparisons: [] }), TEXTS);
    expect(text).toContain('Nothing was compared.');
    expect(text).toMatch(/^node[│ ]+connect and call[│ ]+B[│ ]+27,607/m);
  });

  it.each(['short', 'counter', 'full'])('keeps to its lines however much was measured: %s', (profile) => {
    const changes = Array.from({ length: 60 }, (_, i) => `abc${i} A change`);
    const text = buildEntry(manyRows(profile, 100), { ...TEXTS, changes });
    expect(lines(text)).toBeLessThanOrEqual(profile === 'full' ? MOST_LINES.full : MOST_LINES.other);
    expect(lines(text)).toBeGreaterThan((profile === 'full' ? MOST_LINES.full : MOST_LINES.other) - 6);
    expect(text).toMatch(/\n\n\d+ more are on the page\.\n/);
    expect(text).toContain('- 49 commits before these\n');
    expect(text).toContain('| bar | outcome |');
  });

  it('leaves the other places and codecs of a whole run to its page', () => {
    const read = comparison('getValue/sequential', 'capnweb', 3, [2, 4], 'faster');
    const codec = { ...comparison('tree', 'JSON', 4, [3, 5], 'faster'), family: 'values' };
    const comparisons = [{ ...read, host: 'wrangler-dev' as const }, codec];
    const of = (profile: string) => buildEntry(fixedRecord({ profile, comparisons }), TEXTS);
    expect(of('short')).toContain('| wrangler-dev | getValue/sequential |');
    expect(of('full')).not.toMatch(/\| wrangler-dev \||\| tree \|/);
  });
});

it('the report on a terminal has all figures, ratios and reasons, and the conclusion', () => {
  const of = { family: 'counter', subject: 'capnweb', host: 'workerd', unit: 'ms' } as const;
  const lost = { ...of, scenario: 'wake/first-result', cannot: 'no hibernation' };
  const text = terminalReport(fixedRecord({ rows: [...fixedRecord().rows, lost] }));
  expect(text).toContain("workerd wake/first-result Cap'n Web: no hibernation");
  expect(text).toMatch(/increment\/sequential .* 0\.268 .* 0\.176/);
  expect(text).toContain('0.66 (0.60–0.70) slower');
  expect(text).toMatch(/^Lumenize RPC against hand-written JSON[ │]+1 .*getValue/m);
});
