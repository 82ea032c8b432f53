import type { CallWatch, ObserveCall, ObservedCall, ObservedEnd } from './observed-call.ts';

/** Takes what an observer throws: it is nothing to the call, nor to other observers. */
type Report = (error: unknown) => void;

/**
 * Tells observers of a call that begins, each with the `traceparent` that those before it gave; undefined where none wants to
 * know more.
 */
export function watch(observers: readonly ObserveCall[], call: ObservedCall, report: Report): Watched | undefined {
  const watches: CallWatch[] = [];
  let seen = call;
  for (const observe of observers) {
    try {
      const found = observe(seen);
      if (found === undefined) continue;
      watches.push(found);
      const { traceparent } = found;
      if (traceparent !== undefined) seen = { ...call, traceparent };
    } catch (error) {
      report(error);
    }
  }
  const given = seen === call ? undefined : seen.traceparent;
  return watches.length === 0 ? undefined : new Watched(watches, given, report);
}

/** A call that is observed. */
export class Watched {
  /** What observers gave the call. */
  readonly traceparent: string | undefined;
  readonly #watches: readonly CallWatch[];
  readonly #report: Report;

  constructor(watches: readonly CallWatch[], traceparent: string | undefined, report: Report) {
    this.#watches = watches;
    this.traceparent = traceparent;
    this.#report = report;
  }

  /** Runs what answers the call inside of what all observers put around it, the first outermost. */
  run<T>(answer: () => T): T {
    return this.#runFrom(0, answer);
  }

  end(end: ObservedEnd): void {
    for (const one of this.#watches) this.#guarded(() => one.end?.(end));
  }

  #runFrom<T>(place: number, answer: () => T): T {
    const one = this.#watches[place];
    if (one === undefined) return answer();
    if (one.run === undefined) return this.#runFrom(place + 1, answer);
    // Whatever the observer does, the call is answered, and once: what answering throws is none of the observer's.
    let answered: (() => T) | undefined;
    const answerOnce = () => {
      answered ??= attempt(() => this.#runFrom(place + 1, answer));
    };
    this.#guarded(() => one.run?.(answerOnce));
    answerOnce();
    return answered!();
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#report(error);
    }
  }
}

/** Runs what may throw; what it returns does as that did. */
function attempt<T>(run: () => T): () => T {
  try {
    const result = run();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
