import { describe, expect, it } from 'vitest';
import { buildEntry, MOST_LINES, terminalReport } from '../../src/report/entry.ts';
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

  it('begins its results with the lines of the upstream log', () => {
    expect(entry).toContain(`\`\`\`
Lumenize RPC - 100 increments:
  Total: 26.75ms
  Average: 0.268ms per operation
  Throughput: 3738.3 ops/sec
`);
    expect(entry).toContain("Cap'n Web - 100 getValue calls:\n  Total: 15.00ms\n");
  });

  it('shows what is lost like what is won, and what is open', () => {
    expect(entry).toContain(
      '| workerd | increment/sequential | lumenize | 0.66 (0.60–0.70) slower |  | 1.01 (0.97–1.04) no difference shown |',
    );
    expect(entry).toContain(
      '| workerd | getValue/sequential | lumenize | 1.20 (1.15–1.25) faster | 0.90 (0.85–0.95) slower |',
    );
    expect(entry).toContain('| lumenize against raw |  | 1 |  | getValue/sequential on workerd 0.90 |\n');
    expect(entry).toContain('| A/A |  |  | 2 |  |\n');
  });

  it('names where the method does not hold', () => {
    const broken = comparison('getValue/sequential', 'lumenize', 1.2, [1.1, 1.3], 'faster');
    const text = buildEntry(fixedRecord({ comparisons: [broken] }), TEXTS);
    expect(text).toContain('| A/A | 1 | getValue/sequential on workerd 1.20 |\n');
  });

  it('says how steady the run was', () => {
    expect(entry).toContain(
      '| place | launches | blocks vary by | A/A | not steady after warm-up | client late by (p99) |\n' +
        '| --- | --- | --- | --- | --- | --- |\n| workerd | 3 | 8.0 % | 1.00–1.01 | 0 of 3 | 1.3 ms |\n',
    );
  });

  it('has figures where nothing is compared', () => {
    const text = buildEntry(fixedRecord({ profile: 'size', comparisons: [] }), TEXTS);
    expect(text).toContain('Nothing was compared.');
    expect(text).toMatch(/^node[│ ]+connect and call[│ ]+B[│ ]+17,607/m);
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
    const elsewhere = {
      ...comparison('getValue/sequential', 'capnweb', 3, [2, 4], 'faster'),
      host: 'wrangler-dev',
    } as const;
    const codec = { ...comparison('tree', 'JSON', 4, [3, 5], 'faster'), family: 'values' };
    const of = (profile: string) => buildEntry(fixedRecord({ profile, comparisons: [elsewhere, codec] }), TEXTS);
    expect(of('short')).toContain('| wrangler-dev | getValue/sequential |');
    expect(of('full')).not.toMatch(/\| wrangler-dev \||\| tree \|/);
  });
});

describe('the report on a terminal', () => {
  it('has all figures, ratios and reasons, and the conclusion', () => {
    const row = {
      family: 'counter',
      scenario: 'wake/first-result',
      subject: 'capnweb',
      host: 'workerd',
      unit: 'ms',
    } as const;
    const { rows } = fixedRecord();
    const text = terminalReport(fixedRecord({ rows: [...rows, { ...row, cannot: 'no hibernation' }] }));
    expect(text).toContain('workerd wake/first-result capnweb: no hibernation');
    expect(text).toMatch(/increment\/sequential .* 0\.268 .* 0\.176/);
    expect(text).toContain('0.66 (0.60–0.70) slower');
    expect(text).toMatch(/^lumenize against raw[ │]+1 .*getValue/m);
  });
});
