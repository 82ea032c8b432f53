import { describe, expect, it } from 'vitest';
import { barResults } from '../src/log/bars.ts';
import { buildEntry } from '../src/log/entry.ts';
import { terminalReport } from '../src/log/terminal-report.ts';
import { comparison, fixedRun, fixedTold } from './support/fixed-run.ts';

const TEXTS = {
  title: 'A title',
  description: 'A description.',
  changes: ['def5678 Send fewer frames'],
  earlier: 'As before.',
  file: 'measurements/a-run.json',
};

const entryOf = (changes?: Parameters<typeof fixedTold>[0]) => buildEntry(fixedTold(changes), TEXTS);

describe('buildEntry', () => {
  it('has the parts of the log, in its order', () => {
    const entry = entryOf();
    expect(entry).toMatch(/^### 2026-11-20 18:51:07 \[A title\]\n\n\*\*Git Hash\*\*: abc1234\n/);
    const parts = [...entry.matchAll(/^\*\*([A-Z][A-Za-z ]+)\*\*:/gm)].map(([, name]) => name);
    expect(parts).toEqual([
      ...[
        'Git Hash',
        'Description',
        'Changes',
        'Test Configuration',
        'Results',
        'Performance Comparison',
        'Earlier Entries',
      ],
      ...['Variance', 'Analysis', 'Conclusion'],
    ]);
    expect(entry).toContain('- def5678 Send fewer frames');
    expect(entry).toContain('[measurements/a-run.json](measurements/a-run.json)');
  });

  it("starts its results with the upstream log's own lines, Lumenize before Cap'n Web", () => {
    const [, results] = entryOf().split('```');
    expect(results).toContain(
      [
        'Lumenize RPC - 100 increments:',
        '  Total: 26.75ms',
        '  Average: 0.268ms per operation',
        '  Throughput: 3738.3 ops/sec',
      ].join('\n'),
    );
    const places = ['Lumenize RPC - 100 increments', "Cap'n Web - 100 increments", 'ms per sample'].map((text) =>
      results.indexOf(text),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it('marks a tree that differed from its commit', () => {
    expect(entryOf({ dirty: true })).toContain('**Git Hash**: abc1234+dirty\n');
  });

  it('prints rows that are lost like rows that are won, and says both in words', () => {
    const entry = entryOf();
    expect(entry).toMatch(/^\| increment\/sequential \| 0\.66 \(0\.60–0\.70\) slower \|/m);
    expect(entry).toMatch(/^\| getValue\/sequential \| 1\.20 \(1\.15–1\.25\) faster \|/m);
    expect(entry).toContain(
      "Lumenize RPC against Cap'n Web: faster in getValue/sequential (1.20); slower in increment/sequential (0.66); no " +
        'difference shown in connect/first-result (1.02).',
    );
  });

  it('says that the method holds where the control shows nothing, and withdraws where it does not', () => {
    expect(entryOf()).toContain('shows no difference in any of 2 scenarios');
    const entry = entryOf({
      comparisons: [
        comparison('getValue/sequential', 'lumenize', 1.2, [1.1, 1.3], 'faster'),
        comparison('getValue/sequential', 'capnweb', 1.5, [1.4, 1.6], 'no conclusion'),
      ],
    });
    expect(entry).toContain('"differs" from itself in getValue/sequential on workerd (1.20)');
    expect(entry).toContain('Where Lumenize RPC differs from itself, this run draws no conclusion.');
    expect(entry).not.toContain('faster in getValue');
  });

  it('says what a subject cannot do, and why', () => {
    const cannot = { family: 'pipeline', scenario: 'pipeline/map-100', subject: 'raw', host: 'workerd' } as const;
    const results = [...fixedRun().results, { ...cannot, unavailable: 'it has no map' }];
    expect(entryOf({ results })).toMatch(/^workerd +│pipeline\/map-100 +│raw +│it has no map$/m);
  });

  it('has no table of sizes where none were measured', () => {
    const results = fixedRun().results.filter(({ family }) => family !== 'size');
    expect(entryOf({ results })).not.toContain('client bundle');
  });

  it('does not count a control that had too few rounds as a sign that the method holds', () => {
    const comparisons = [comparison('getValue/sequential', 'lumenize', 1, [0.9, 1.1], 'no conclusion')];
    const entry = entryOf({ comparisons });
    expect(entry).toContain('Too few rounds to compare Lumenize RPC with itself.');
    expect(entry).not.toContain('the method holds');
  });

  it('concludes nothing in words from fewer than three launches', () => {
    const entry = entryOf({ launches: fixedRun().launches.slice(0, 2) });
    expect(entry).toContain('On workerd, no conclusion is drawn');
    expect(entry).not.toContain('faster in getValue');
  });
});

describe('the tables and sentences of pairs', () => {
  it('have those that no other family has behind those that all have', () => {
    const since = comparison('getValue/sequential', 'at-abc1234', 1.08, [1.05, 1.12], 'faster');
    const entry = entryOf({ comparisons: [since, ...fixedRun().comparisons] });
    expect(entry).toContain('| scenario | lumenize / capnweb | lumenize / raw | lumenize / at-abc1234 | A/A |');
    expect(entry).toContain('Lumenize RPC against Lumenize RPC at abc1234: faster in getValue/sequential (1.08).');
  });
});

describe('barResults', () => {
  it('tells met from missed, and a point above the bar from an interval above it', () => {
    const outcomes = Object.fromEntries(barResults(fixedRun()).map(({ name, outcome }) => [name, outcome]));
    expect(outcomes).toEqual({
      'read, one at a time, against Cap’n Web': 'met',
      'read, against raw JSON': 'missed',
      'connect to first result, against Cap’n Web': 'met, but the interval reaches below',
      'frames and bytes of increment(), up + down': 'met',
      'client bundle, gzip': 'met',
    });
  });

  it('counts a bar without a conclusion as neither', () => {
    const comparisons = [comparison('getValue/sequential', 'capnweb', 5, [4, 6], 'no conclusion')];
    expect(barResults(fixedRun({ comparisons }))[0].outcome).toBe('no conclusion');
  });

  it('misses the bar for a call by one frame', () => {
    const results = fixedRun().results.map((each) => (each.family === 'size' ? each : { ...each, framesUp: 2 }));
    const bars = barResults(fixedRun({ results }));
    expect(bars.find(({ name }) => name.startsWith('frames'))?.outcome).toBe('missed');
  });
});

describe('terminalReport', () => {
  it('shows results, comparisons and bars without colours', () => {
    const report = terminalReport(fixedTold());
    for (const text of ['getValue/sequential', 'lumenize / capnweb', '0.60–0.70', 'client bundle', '4 of 5 bars']) {
      expect(report).toContain(text);
    }
    expect(report).not.toContain('\u001b');
  });
});
