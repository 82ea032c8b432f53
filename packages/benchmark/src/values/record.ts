import type { CodecKind } from '../codecs/codec.ts';
import type { PayloadKind } from '../payloads/payload.ts';
import type { Comparison } from '../statistics/comparison.ts';
import type { Summary } from '../statistics/summary.ts';
import type { CodecHost } from './plan.ts';

/** What is said of either half of a codec's work, in µs. */
export type PartSummary = Pick<Summary, 'n' | 'mean' | 'p50' | 'p95'>;

interface CodecRow {
  readonly family: 'values';
  /** The payload. */
  readonly scenario: string;
  /** The codec. */
  readonly subject: string;
  readonly host: CodecHost;
}

/** What one codec did with one payload in one place: of one operation, encoding and decoding together, in µs. */
export interface CodecResult extends CodecRow, Summary {
  readonly unit: 'us';
  readonly opsPerSecond: number;
  readonly launches: number;
  readonly blocks: number;
  /** Where it is above 1, a sample is the mean of so many operations, and the quantiles are those of means. */
  readonly operationsPerSample: number;
  /** Standard deviation of the blocks' times, as a share of their mean. */
  readonly blockVariation: number;
  /** Either half alone, where the codec has two. */
  readonly encode?: PartSummary;
  readonly decode?: PartSummary;
  /** The encoded form, text as UTF-8, and compressed by gzip. */
  readonly bytes?: number;
  readonly gzip?: number;
}

/** That a codec does not carry a payload, and so was not timed. */
export interface CannotResult extends CodecRow {
  readonly cannot: string;
}

/** How one launch went. */
export interface ValuesLaunch {
  readonly host: CodecHost;
  readonly startMs: number;
  readonly measuredMs: number;
  readonly blocks: number;
  /** Payload and codec, where the codec was still getting faster when its time to warm up was over. */
  readonly unsteady: readonly string[];
}

/** What the measurement of the values family found. */
export interface ValuesFindings {
  /** Versions of the packages that the codecs are from. */
  readonly versions: Readonly<Record<string, string>>;
  /** What each codec takes part as, and how it was set up. */
  readonly codecs: Readonly<Record<string, { readonly kind: CodecKind; readonly settings: string }>>;
  /** What each payload asks for. */
  readonly payloads: Readonly<Record<string, PayloadKind>>;
  readonly launches: readonly ValuesLaunch[];
  readonly results: readonly (CodecResult | CannotResult)[];
  readonly comparisons: readonly Comparison<CodecHost>[];
}

/** Returns the results that have times. */
export function timedResults(record: ValuesFindings): CodecResult[] {
  return record.results.filter((result): result is CodecResult => !('cannot' in result));
}

/** Returns what could not be timed. */
export function cannotResults(record: ValuesFindings): CannotResult[] {
  return record.results.filter((result): result is CannotResult => 'cannot' in result);
}
