import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendRun } from '../src/log/append.ts';
import { codecBars } from '../src/log/values-bars.ts';
import { buildValuesEntry } from '../src/log/values-entry.ts';
import { valuesReport } from '../src/log/values-report.ts';
import { standings } from '../src/log/values-standing.ts';
import { codecComparison, fixedValuesRun } from './support/fixed-values-run.ts';

const TEXTS = { title: 'A title', description: 'A description.', changes: ['A change'] };
const entry = () => buildValuesEntry(fixedValuesRun(), { ...TEXTS, file: 'measurements/a-run.json' });

/** The cells of the first line that begins with `name`. */
function cellsOf(text: string, name: string): string[] {
  const line = text.split('\n').find((each) => each.startsWith(name))!;
  return line.split('│').map((cell) => cell.trim());
}

describe('buildValuesEntry', () => {
  it('has the parts of the log, in its order', () => {
    expect(entry()).toMatch(/^### 2026-11-20 18:51:07 \[A title\]\n\n\*\*Git Hash\*\*: abc1234\n/);
    const parts = [...entry().matchAll(/^\*\*([A-Z][A-Za-z ]+)\*\*:/gm)].map(([, name]) => name);
    expect(parts).toEqual([
      ...['Git Hash', 'Description', 'Changes', 'Test Configuration', 'Results', 'Performance Comparison'],
      ...['Variance', 'Analysis', 'Conclusion'],
    ]);
    expect(entry()).toContain('cbor-x 1.6.8');
    expect(entry()).toContain('cbor-x (Encoder)');
    expect(entry()).toContain('[measurements/a-run.json](measurements/a-run.json)');
  });

  it('shows times and sizes with a row for each payload and a column for each codec', () => {
    const [, results] = entry().split('```');
    expect(cellsOf(results, 'payload')).toEqual(['payload', 'lumenize', 'JSON', 'devalue', 'cbor-x', 'v8']);
    expect(cellsOf(results, 'rows-200')).toEqual(['rows-200', '80.0', '100', '400', '90.0', '40.0']);
    expect(cellsOf(results, 'map')).toEqual(['map', '50.0', 'cannot', '', '', '']);
    expect(cellsOf(results.slice(results.indexOf('Bytes\n')), 'rows-200')).toContain('4000');
  });

  it('shows losses like wins, with who is closest', () => {
    expect(entry()).toContain(
      '| rows-200 | 1.25 (1.20–1.30) **+** | 5.00 (4.50–5.50) **+** | 1.12 (1.05–1.20) **+** |  | cbor-x: first | 1.01 (0.98–1.03) |',
    );
    expect(entry()).toContain(
      '| text-60kB | 0.70 (0.60–0.85) **−** |  | 0.50 (0.40–0.60) **−** |  | cbor-x: behind | 1.00 (0.95–1.05) |',
    );
    expect(entry()).toContain('In Node, lumenize against JSON, 3 payloads: faster with 1, slower with 2.');
  });
});

describe('valuesReport', () => {
  it('has a table for each payload, the fastest first, and names those that cannot', () => {
    const report = valuesReport(fixedValuesRun());
    const rows = report.slice(report.indexOf('rows-200, in Node'), report.indexOf('text-60kB, in Node'));
    expect(rows.match(/^(\S+) +│/gm)?.map((cell) => cell.split(' ')[0])).toEqual([
      ...['codec', 'v8', 'lumenize', 'cbor-x', 'JSON', 'devalue'],
    ]);
    expect(cellsOf(rows, 'cbor-x')).toEqual([
      'cbor-x',
      '90.0',
      '45.0',
      '45.0',
      '0.89',
      '1.10',
      '0.90–1.20',
      '6000',
      '3000',
    ]);
    // The fastest is the fastest that competes: native functions do not.
    expect(cellsOf(rows, 'v8')[4]).toBe('2.00');
    expect(report).toContain('JSON cannot: $: Map(2) became {}');
    expect(report).not.toContain('\u001b');
  });
});

describe('standings', () => {
  it('take the other project’s codec that is closest, whatever JSON and copying do', () => {
    const found = standings(fixedValuesRun()).map(({ payload, closest, place }) => [payload, closest.baseline, place]);
    expect(found).toEqual([
      ['rows-200', 'cbor-x', 'first'],
      ['text-60kB', 'cbor-x', 'behind'],
      ['bytes-1MiB', 'cbor-x', 'within 10 %'],
    ]);
  });

  it('conclude nothing where the run does not', () => {
    const comparisons = [codecComparison('rows-200', 'cbor-x', 2, [1, 3], 'no conclusion')];
    expect(standings(fixedValuesRun({ comparisons }))[0].place).toBe('no conclusion');
  });
});

describe('codecBars', () => {
  it('tell met from missed, and what must be from what is aimed at', () => {
    const bars = codecBars(fixedValuesRun()).map(({ name, outcome, aim }) => [name, outcome, aim]);
    expect(bars).toEqual([
      ['Node: every payload, against the other codecs in JavaScript', 'missed', 'first: not yet'],
      ['Node: rows-200, against JSON', 'met', '≥ 1.2: reached'],
      ['Node: text-60kB, against JSON', 'missed', '≥ 1.2: not yet'],
      ['Node: number, against JSON', 'met, but the interval reaches below', ''],
      ['Node: bytes-1MiB, against copying twice', 'met', ''],
      ['bytes of rows-200, of JSON’s', 'met', '≤ 0.33: not yet'],
    ]);
  });
});

describe('appendRun', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'benchmark-log-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('writes a run of codecs like any other', () => {
    const { file } = appendRun(root, fixedValuesRun(), TEXTS);
    expect(file).toBe('measurements/2026-11-20T18-51-07Z-abc1234.json');
    expect(JSON.parse(readFileSync(join(root, file), 'utf8'))).toEqual(fixedValuesRun());
    expect(readFileSync(join(root, 'MEASUREMENTS.md'), 'utf8')).toContain('rows-200, against JSON');
  });
});
