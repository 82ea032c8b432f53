import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { Place } from '../hosts/host.ts';
import { type CodecResult, cannotResults, timedResults, type ValuesFindings } from '../values/record.ts';
import { us } from './format.ts';
import { HOST_NAMES } from './names.ts';

/** All figures that fit a log: times place by place and sizes, a row for each payload and a column for each codec. */
export function codecMatrices(record: ValuesFindings): string {
  const hosts = [...new Set(record.results.map(({ host }) => host))];
  const times = hosts.map((host) => {
    const cell = (result: CodecResult) => us(result.p50);
    return `${HOST_NAMES[host]}: encoding and decoding, p50 in µs\n${matrix(record, host, cell)}`;
  });
  // Sizes are the same everywhere, but for details of two codecs that use Node's Buffer.
  const size = ({ bytes }: CodecResult) => (bytes === undefined ? '–' : String(bytes));
  const gzip = ({ gzip: compressed }: CodecResult) => (compressed === undefined ? '–' : String(compressed));
  const [host] = hosts;
  return [...times, `Bytes\n${matrix(record, host, size)}`, `Bytes, gzip\n${matrix(record, host, gzip)}`].join('\n\n');
}

function matrix(record: ValuesFindings, host: Place, cell: (result: CodecResult) => string): string {
  const timed = timedResults(record).filter((result) => result.host === host);
  const cannot = cannotResults(record).filter((result) => result.host === host);
  const codecs = Object.keys(record.codecs).filter((name) => timed.some(({ subject }) => subject === name));
  const payloads = Object.keys(record.payloads).filter((name) => timed.some(({ scenario }) => scenario === name));
  const rows = payloads.map((payload) => {
    const of = <T extends { scenario: string; subject: string }>(list: readonly T[], codec: string) =>
      list.find(({ scenario, subject }) => scenario === payload && subject === codec);
    const cells = codecs.map((codec) => {
      const result = of(timed, codec);
      return result ? cell(result) : of(cannot, codec) ? 'cannot' : '';
    });
    return [payload, ...cells];
  });
  return textTable(['payload', ...codecs], 1, rows);
}
