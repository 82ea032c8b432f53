import type { FigureResult } from '../families/figure-result.ts';
import type { HostName } from '../hosts/host.ts';
import type { ClientHealth, FrameCounts, WarmUp } from '../load/plan.ts';
import type { Family } from '../scenarios/scenario.ts';
import type { Comparison } from '../statistics/comparison.ts';
import type { Summary } from '../statistics/summary.ts';

/** What one subject did in one scenario on one host. Times are in ms; frames and bytes, where counted, are per sample. */
export interface TimeResult extends Summary, Partial<FrameCounts> {
  readonly family: Family;
  readonly scenario: string;
  readonly subject: string;
  readonly host: HostName;
  readonly unit: 'ms';
  /**
   * What one sample times: a call, a turn of many calls, a stream, a connection up to its first answer, or an event's way from
   * `publish` to one subscriber.
   */
  readonly sample: 'call' | 'turn' | 'stream' | 'connection' | 'delivery';
  readonly opsPerSecond: number;
  readonly launches: number;
  readonly blocks: number;
  /** Operations in one block, and the median time of a block. */
  readonly blockOperations: number;
  readonly blockMedianMs: number;
  /** Standard deviation of the blocks' times, as a share of their mean. */
  readonly blockVariation: number;
  /** Compressed HdrHistogram of the samples in ns, base64. */
  readonly samples: string;
}

/** Says that a subject cannot do a scenario. */
export interface UnavailableResult {
  readonly family: string;
  readonly scenario: string;
  readonly subject: string;
  readonly host: HostName;
  readonly unavailable: string;
}

/** The size of what a client has to load. */
export interface SizeResult {
  readonly family: 'size';
  readonly scenario: 'client-bundle';
  readonly subject: string;
  readonly host: 'browser';
  readonly unit: 'B';
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
}

/** How one launch went. */
export interface LaunchRecord {
  readonly host: HostName;
  readonly startMs: number;
  readonly measuredMs: number;
  readonly warmUps: readonly WarmUp[];
  readonly client: ClientHealth;
}

/** What the measurement of scenarios in blocks found. */
export interface BlockFindings {
  readonly launches: readonly LaunchRecord[];
  readonly results: readonly (TimeResult | UnavailableResult | SizeResult | FigureResult)[];
  readonly comparisons: readonly Comparison[];
}
