import { RPC_ERROR_CODES, type RpcErrorCode } from '../errors.ts';
import type { ObserveCall, ObservedEnd } from './observe-calls.ts';

/** Counts of the calls in one direction. */
export interface CallTotals {
  /** Calls that have not ended. */
  readonly inFlight: number;
  /** Calls that ended with a value. */
  readonly values: number;
  /** Calls whose results were used by other calls only. */
  readonly steps: number;
  /** Calls that ended with an error, by the code of the error. `thrown` counts errors that methods threw. */
  readonly errors: Readonly<Partial<Record<RpcErrorCode | 'thrown', number>>>;
  /** Bytes of the calls, as far as they are known. */
  readonly callBytes: number;
  /** Bytes of the results, as far as they are known. */
  readonly resultBytes: number;
  /** Durations of the calls that ended with a value or an error. */
  readonly duration: DurationTotals;
}

/** Statistics of durations, in milliseconds. */
export interface DurationTotals {
  /** Number of calls that were timed. */
  readonly count: number;
  /** Average duration in milliseconds; 0 if no calls were timed. */
  readonly meanMs: number;
  /** Longest duration in milliseconds; 0 if no calls were timed. */
  readonly maxMs: number;
  /**
   * Number of calls in each bucket: they took up to `upToMs` milliseconds, and longer than the bound before. The bounds
   * are the powers of two from 1/4 to 65536, and Infinity. Empty buckets are left out.
   */
  readonly histogram: readonly { readonly upToMs: number; readonly count: number }[];
}

/** Counts calls in both directions. */
export interface CallCounter {
  /** The observer to pass to `observeCalls`. */
  readonly observe: ObserveCall;
  /** Counts of the calls that this side made. */
  readonly outgoing: CallTotals;
  /** Counts of the calls that this side answered. */
  readonly incoming: CallTotals;
}

/** Creates a counter of calls by their outcome, with sizes and durations. */
export function countCalls(): CallCounter {
  const totals = { outgoing: new Totals(), incoming: new Totals() };
  return {
    observe: ({ direction }) => totals[direction].begin(),
    get outgoing() {
      return totals.outgoing.read();
    },
    get incoming() {
      return totals.incoming.read();
    },
  };
}

/** The smallest bound and the largest finite bound of a histogram, in milliseconds. */
const [LEAST_MS, MOST_MS] = [2 ** -2, 2 ** 16];

class Totals {
  readonly #counts = { inFlight: 0, values: 0, steps: 0, callBytes: 0, resultBytes: 0 };
  readonly #errors: Partial<Record<RpcErrorCode | 'thrown', number>> = {};
  readonly #duration = { count: 0, meanMs: 0, maxMs: 0 };
  readonly #histogram = new Map<number, number>();

  begin(): { end(end: ObservedEnd): void } {
    this.#counts.inFlight++;
    return this;
  }

  end({ outcome, code, durationMs, callBytes = 0, resultBytes = 0 }: ObservedEnd): void {
    const counts = this.#counts;
    const duration = this.#duration;
    counts.inFlight--;
    counts.callBytes += callBytes;
    counts.resultBytes += resultBytes;
    if (outcome === 'step') return void counts.steps++;
    if (outcome === 'value') counts.values++;
    else {
      // The code comes from the peer, which could invent any number of codes.
      const name = code !== undefined && RPC_ERROR_CODES.includes(code) ? code : 'thrown';
      this.#errors[name] = (this.#errors[name] ?? 0) + 1;
    }
    duration.meanMs += (durationMs - duration.meanMs) / ++duration.count;
    duration.maxMs = Math.max(duration.maxMs, durationMs);
    const bound = 2 ** Math.ceil(Math.log2(Math.max(durationMs, LEAST_MS)));
    const upToMs = bound > MOST_MS ? Number.POSITIVE_INFINITY : bound;
    this.#histogram.set(upToMs, (this.#histogram.get(upToMs) ?? 0) + 1);
  }

  read(): CallTotals {
    const buckets = [...this.#histogram].sort(([a], [b]) => a - b);
    const histogram = buckets.map(([upToMs, count]) => ({ upToMs, count }));
    return { ...this.#counts, errors: { ...this.#errors }, duration: { ...this.#duration, histogram } };
  }
}
