import type { Verdict } from '../../src/statistics/verdict.ts';
import type { CodecResult, ValuesFindings } from '../../src/values/record.ts';

/** A small run of codecs with known figures: `lumenize` wins on rows, loses on text, and JSON cannot carry a Map. */
export function fixedValuesRun(changes: Partial<ValuesFindings> = {}): ValuesFindings {
  return {
    versions: { capnweb: '0.12.0', 'cbor-x': '1.6.8', devalue: '6.0.3' },
    codecs: {
      lumenize: { kind: 'ours', settings: 'encode, decode' },
      JSON: { kind: 'json', settings: 'JSON.stringify, JSON.parse' },
      devalue: { kind: 'rival', settings: 'stringify, parse' },
      'cbor-x': { kind: 'rival', settings: 'Encoder' },
      copy: { kind: 'reference', settings: 'bytes.slice() twice' },
      v8: { kind: 'native', settings: 'serialize, deserialize' },
    },
    payloads: { 'rows-200': 'plain', 'text-60kB': 'plain', number: 'tiny', map: 'rich', 'bytes-1MiB': 'bytes' },
    launches: [0, 1, 2].map(() => ({
      host: 'node',
      startMs: 0,
      measuredMs: 25_000,
      blocks: 500,
      unsteady: ['map/v8'],
    })),
    results: [
      codecResult('rows-200', 'lumenize', 80, 4000),
      codecResult('rows-200', 'JSON', 100, 10_000),
      codecResult('rows-200', 'devalue', 400, 11_000),
      codecResult('rows-200', 'cbor-x', 90, 6000),
      codecResult('rows-200', 'v8', 40, 12_000),
      codecResult('text-60kB', 'lumenize', 200, 60_010),
      codecResult('text-60kB', 'cbor-x', 100, 60_005),
      codecResult('map', 'lumenize', 50, 900),
      { family: 'values', scenario: 'map', subject: 'JSON', host: 'node', cannot: '$: Map(2) became {}' },
    ],
    comparisons: [
      codecComparison('rows-200', 'lumenize', 1.01, [0.98, 1.03], 'no difference shown'),
      codecComparison('rows-200', 'JSON', 1.25, [1.2, 1.3], 'faster'),
      codecComparison('rows-200', 'devalue', 5, [4.5, 5.5], 'faster'),
      codecComparison('rows-200', 'cbor-x', 1.12, [1.05, 1.2], 'faster'),
      { ...codecComparison('rows-200', 'JSON', 1.1, [0.9, 1.2], 'no difference shown'), subject: 'cbor-x' },
      codecComparison('text-60kB', 'lumenize', 1, [0.95, 1.05], 'no difference shown'),
      codecComparison('text-60kB', 'JSON', 0.7, [0.6, 0.85], 'slower'),
      codecComparison('text-60kB', 'cbor-x', 0.5, [0.4, 0.6], 'slower'),
      codecComparison('number', 'JSON', 0.7, [0.6, 0.8], 'slower'),
      codecComparison('bytes-1MiB', 'cbor-x', 0.95, [0.8, 1.1], 'no difference shown'),
      codecComparison('bytes-1MiB', 'copy', 0.9, [0.85, 1.1], 'no difference shown'),
    ],
    ...changes,
  };
}

export function codecComparison(
  scenario: string,
  baseline: string,
  ratio: number,
  ci95: readonly [number, number],
  verdict: Verdict,
): ValuesFindings['comparisons'][number] {
  return { scenario, host: 'node', subject: 'lumenize', baseline, ratio, ci95, verdict, launches: 3, rounds: 12 };
}

function codecResult(scenario: string, subject: string, p50: number, bytes: number): CodecResult {
  const times = { n: 300, mean: p50, p50, p75: p50, p95: p50, p99: p50, stddev: 1, min: p50, max: p50 };
  const part = { n: 100, mean: p50 / 2, p50: p50 / 2, p95: p50 / 2 };
  const counts = { opsPerSecond: 1e6 / p50, launches: 3, blocks: 24, operationsPerSample: 2, blockVariation: 0.05 };
  const row = { family: 'values', scenario, subject, host: 'node', unit: 'us' } as const;
  return { ...row, ...times, ...counts, encode: part, decode: part, bytes, gzip: bytes / 2 };
}
