import { describe, expect, it } from 'vitest';
import { codecBars } from '../src/log/values-bars.ts';
import { valuesEntry } from '../src/log/values-entry.ts';
import { standings } from '../src/log/values-standing.ts';
import { codecComparison, fixedValuesRun } from './support/fixed-values-run.ts';

const entry = () => valuesEntry(fixedValuesRun());

/** The cells of the first line that begins with `name`. */
function cellsOf(text: string, name: string): string[] {
  const line = text.split('\n').find((each) => each.startsWith(name))!;
  return line.split('│').map((cell) => cell.trim());
}

describe('valuesEntry', () => {
  it('says which codecs of which versions were measured, and how they were set up', () => {
    const configuration = entry().configuration.join('\n');
    expect(configuration).toContain('cbor-x 1.6.8');
    expect(configuration).toContain('cbor-x (Encoder)');
  });

  it('shows times and sizes with a row for each payload and a column for each codec', () => {
    const { results } = entry();
    expect(cellsOf(results, 'payload')).toEqual(['payload', 'lumenize', 'JSON', 'devalue', 'cbor-x', 'v8']);
    expect(cellsOf(results, 'rows-200')).toEqual(['rows-200', '80.0', '100', '400', '90.0', '40.0']);
    expect(cellsOf(results, 'map')).toEqual(['map', '50.0', 'cannot', '', '', '']);
    expect(cellsOf(results.slice(results.indexOf('Bytes\n')), 'rows-200')).toContain('4000');
  });

  it('shows losses like wins, with who is closest', () => {
    expect(entry().comparison).toContain(
      '| rows-200 | 1.25 (1.20–1.30) **+** | 5.00 (4.50–5.50) **+** | 1.12 (1.05–1.20) **+** |  | cbor-x: first | 1.01 (0.98–1.03) |',
    );
    expect(entry().comparison).toContain(
      '| text-60kB | 0.70 (0.60–0.85) **−** |  | 0.50 (0.40–0.60) **−** |  | cbor-x: behind | 1.00 (0.95–1.05) |',
    );
    expect(entry().analysis).toContain('In Node, lumenize against JSON, 3 payloads: faster with 1, slower with 2.');
  });
});

describe('what a terminal shows of codecs', () => {
  it('has a table for each payload, the fastest first, and names those that cannot', () => {
    const report = entry().terminal!;
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
