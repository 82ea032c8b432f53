import type { Place } from '@lumenize/hosts/host';
import type { Summary } from '../statistics/summary.ts';

/**
 * The figures of one subject in one scenario in one place: a line of a table, and an element of the record's `rows`.
 */
export interface Row {
  readonly family: string;
  readonly scenario: string;
  readonly subject: string;
  readonly host: Place;
  /** `ms`, `us`, `B`, `B/connection`, `calls/s`, `%`, … */
  readonly unit: string;
  /** The figure. For a distribution it is the median. It is missing if `cannot` gives a reason. */
  readonly value?: number;
  readonly ci95?: readonly [number, number];
  /** The number of samples or readings. */
  readonly n?: number;
  /** The unit of work that one sample times. Only for distributions. */
  readonly sample?: Sample;
  /** Quantiles and moments of a distribution, in `unit`. */
  readonly summary?: Summary;
  /** The samples in ns as a compressed HdrHistogram, in base64. */
  readonly samples?: string;
  /** More figures by name, which includes the unit: `framesUp`, `bytesDown`, `opsPerSecond`, `blockMedianMs`. */
  readonly detail?: Readonly<Record<string, number>>;
  /** Why there is no figure, or why there are fewer readings than planned. */
  readonly cannot?: string;
}

/** Names the unit of work that one sample of a distribution times. */
export type Sample = 'call' | 'turn' | 'stream' | 'connection' | 'delivery';
