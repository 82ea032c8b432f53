import type { Place } from '../hosts/host.ts';

/** One figure that is no distribution of times: a slope, a share, a rate, a size. */
export interface FigureResult {
  readonly family: string;
  readonly scenario: string;
  readonly subject: string;
  readonly host: Place;
  /** `B`, `B/connection`, `us`, `calls/s`, … */
  readonly unit: string;
  readonly value: number;
  readonly ci95?: readonly [number, number];
  /** How many readings the value was made from. */
  readonly n: number;
  /** More figures of the same measurement by name, with their unit in the name: `heapBytes`, `p99Ms`. */
  readonly detail?: Readonly<Record<string, number>>;
}
