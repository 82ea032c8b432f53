import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { Place } from '../hosts/host.ts';
import type { Comparison } from '../statistics/comparison.ts';
import {
  type CannotResult,
  type CodecResult,
  cannotResults,
  timedResults,
  type ValuesFindings,
} from '../values/record.ts';
import { interval, ratio, us } from './format.ts';
import { HOST_NAMES } from './names.ts';

const HEAD = ['codec', 'both µs', 'encode', 'decode', 'fastest/it', 'JSON/it', '95 %', 'bytes', 'gzip'];

const NOTE =
  'Medians in µs of encoding and decoding together, and of either alone. “fastest/it” divides the time of the fastest ' +
  'JavaScript\ncodec that carries more than JSON by this one’s, “JSON/it” that of JSON: above 1, this one is faster. ' +
  'Native functions and\n“copy”, which only copies the bytes twice, are shown beside them.';

/** A table for each payload and place: what each codec takes, fastest first, and who cannot. */
export function codecTables(record: ValuesFindings): string {
  const results = [...timedResults(record), ...cannotResults(record)];
  const pairs = new Set(results.map(({ scenario, host }) => `${scenario}\n${host}`));
  const inOrder = Object.keys(record.payloads).flatMap((payload) =>
    (['node', 'workerd'] as const)
      .filter((host) => pairs.has(`${payload}\n${host}`))
      .map((host) => ({ payload, host })),
  );
  return [NOTE, ...inOrder.map(({ payload, host }) => table(record, payload, host))].join('\n\n');
}

/** The fastest codec in JavaScript that carries more than JSON, of these results of one payload and place. */
export function fastestCodec(record: ValuesFindings, results: readonly CodecResult[]): CodecResult | undefined {
  const competing = results.filter(({ subject }) => ['ours', 'rival'].includes(record.codecs[subject].kind));
  return competing.toSorted((a, b) => a.p50 - b.p50)[0];
}

function table(record: ValuesFindings, payload: string, host: Place): string {
  const here = (row: CodecResult | CannotResult) => row.scenario === payload && row.host === host;
  const timed = timedResults(record).filter(here);
  const fastest = fastestCodec(record, timed);
  const rows = timed
    .toSorted((a, b) => a.p50 - b.p50)
    .map((result) => {
      const json = record.comparisons.find((each) => isOf(each, result, 'JSON'));
      return [
        result.subject,
        us(result.p50),
        result.encode ? us(result.encode.p50) : '–',
        result.decode ? us(result.decode.p50) : '–',
        fastest ? ratio(fastest.p50 / result.p50) : '',
        ...(json ? [ratio(json.ratio), interval(json.ci95)] : ['', '']),
        result.bytes ?? '–',
        result.gzip ?? '–',
      ];
    });
  const cannot = cannotResults(record)
    .filter(here)
    .map((each) => `${each.subject} cannot: ${each.cannot}`);
  return [`${payload}, in ${HOST_NAMES[host]}`, textTable(HEAD, 1, rows), ...cannot].join('\n');
}

function isOf(comparison: Comparison<Place>, { scenario, host, subject }: CodecResult, baseline: string): boolean {
  const { scenario: payload, host: place, subject: codec, baseline: against } = comparison;
  return payload === scenario && place === host && codec === subject && against === baseline;
}
