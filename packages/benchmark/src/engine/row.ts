import type { Place } from '@lumenize/hosts/host';
import type { Summary } from '../statistics/summary.ts';

/** The figures of one subject in one scenario in one place: a line of a table, an element of the record's `rows`. */
export interface Row {
  readonly family: string;
  readonly scenario: string;
  readonly subject: string;
  readonly host: Place;
  /** `ms`, `us`, `B`, `B/connection`, `calls/s`, `%`, … */
  readonly unit: string;
  /** The figure: of a distribution its median. Missing where `cannot` says why there is none. */
  readonly value?: number;
  readonly ci95?: readonly [number, number];
  /** Number of samples, or of readings. */
  readonly n?: number;
  /** The thing that one sample times; of a distribution only. */
  readonly sample?: Sample;
  /** Quantiles and moments of a distribution, in `unit`. */
  readonly summary?: Summary;
  /** Compressed HdrHistogram of the samples in ns, base64. */
  readonly samples?: string;
  /** More figures by name, with their unit in it: `framesUp`, `bytesDown`, `opsPerSecond`, `blockMedianMs`. */
  readonly detail?: Readonly<Record<string, number>>;
  /** Why there is no figure, or why there are fewer readings than planned. */
  readonly cannot?: string;
}

/** The thing that one sample of a distribution times. */
export type Sample = 'call' | 'turn' | 'stream' | 'connection' | 'delivery';
