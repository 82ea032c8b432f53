import type { RecordedRun } from '../../recorded/recorded-run.ts';
import type { CodecResult } from '../../values/record.ts';
import { markdownTable } from './region.ts';

/** Those that carry more than JSON does. */
const OTHERS = ['devalue', 'superjson', 'seroval', 'cbor-x', 'msgpackr', 'capnweb'];

/** Writes what codecs take to encode and to decode a payload, in µs in Node and in workerd, and the bytes that it comes to. */
export function codecTable(run: RecordedRun): string {
  const results = run.results.filter((each): each is CodecResult => each.family === 'values' && 'p50' in each);
  const payloads = [...new Set(results.map(({ scenario }) => scenario))];
  const of = (payload: string, subject: string) =>
    results.filter((each) => each.scenario === payload && each.subject === subject);
  const rows = payloads.map((payload) => {
    const bytes = ['lumenize', 'JSON'].map((subject) => of(payload, subject).at(0)?.bytes?.toLocaleString('en') ?? '–');
    return [`\`${payload}\``, times(of(payload, 'lumenize')), fastest(payload), times(of(payload, 'JSON')), ...bytes];
  });
  return markdownTable([['payload', 'Lumenize', 'fastest other', 'JSON', 'bytes', 'of JSON'], ...rows]);

  function fastest(payload: string): string {
    const each = ['node', 'workerd'].map((host) =>
      OTHERS.flatMap((subject) => of(payload, subject).filter((result) => result.host === host))
        .toSorted((a, b) => a.p50 - b.p50)
        .at(0),
    );
    return each.map((result) => (result ? `${microseconds(result.p50)} ${result.subject}` : '–')).join(', ');
  }
}

function times(results: readonly CodecResult[]): string {
  const found = ['node', 'workerd'].map((host) => results.find((each) => each.host === host));
  return found.every((each) => each === undefined)
    ? '–'
    : found.map((each) => (each ? microseconds(each.p50) : '–')).join(', ');
}

function microseconds(value: number): string {
  return value < 10 ? value.toPrecision(2) : value.toFixed(0);
}
