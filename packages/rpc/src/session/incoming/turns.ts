import type { RpcError } from '../../errors/rpc-error.ts';
import type { CallFrame } from '../../protocol/operation.ts';
import type { GivenUp } from '../../protocol/signal.ts';
import { type Caller, givenUp, type RunningCall } from './call-context.ts';

/**
 * The work that was begun and has not settled. `LONG` if there is none but the turn was long; undefined if there is
 * nothing to wait for.
 */
export type Begun = Promise<unknown> | typeof LONG | undefined;

/** Work that is done in one turn or in several. */
export interface Work {
  readonly isDone: boolean;
  /** Continues until the work is done, has begun something that has not settled, or has taken a long turn. */
  go(): Begun;
  /**
   * The frame whose calls the work runs, if there is one. `incoming` is the half of a session that it runs them for.
   */
  readonly frame?: CallFrame;
  readonly incoming?: { waits(frame: CallFrame): void };
  /** The caller at the time when the work arrived. */
  readonly caller?: Caller | undefined;
  /** The time at which the work began to wait for its turn. */
  since?: number | undefined;
  /** The calls that are given up before they begin, with the reasons. */
  cancelled?: Map<number, RpcError> | undefined;
  /** Ends the work, so that nothing more of it runs. */
  drop(): void;
}

export const LONG = Symbol('a long turn');

/** The shared empty queue of all sessions in which no work has ever waited, which are most sessions. */
const NOTHING: Work[] = [];

/** The number of operations in a row that make a turn long: about ten milliseconds of reading. */
export const OPERATIONS_A_TURN = 10_000;

/**
 * The number of microtasks to wait for work that was begun. By then, all work is done that waits only for storage in
 * memory.
 */
const JOBS = 64;
/**
 * The largest number of turns to ask for at once. A timer goes off a millisecond late, however many are set, so several
 * are set together.
 */
const MAX_ASKED = 64;

/**
 * Lets the work that the peer asks for take turns, in order. Synchronous work is done in one turn. When work was begun
 * and waits, the next work begins in an event of its own, as if it had been delivered by itself. The input gate of a
 * Durable Object holds events back while storage is read or written, and so protects the calls of one frame as it
 * protects all others.
 */
export class Turns {
  readonly #host: { flush(): void };
  #queue: Work[] = NOTHING;
  /** The number of pieces of work that wait for something else, and join the queue when it is there. */
  #expected = 0;
  #isPaused = false;
  #whenBegun: PromiseWithResolvers<void> | undefined;
  /**
   * The number of parts of the running work that wait at the front of the queue, before the rest. Undefined while no
   * work runs.
   */
  #parts: number | undefined;
  /** True if more work is to come within this event, so that ready results may wait for it. */
  isBrief = false;
  /** The number of turns that have been asked for. `#atOnce` is the number to ask for next time. */
  #asked = 0;
  #atOnce = 1;

  /** `host` is told to flush at the end of each turn that had to be waited for. */
  constructor(host: { flush(): void }) {
    this.#host = host;
  }

  /** A promise that resolves when all work that was asked for has begun; undefined if it has begun. */
  get begun(): Promise<void> | undefined {
    if (!this.#isPaused) return undefined;
    this.#whenBegun ??= Promise.withResolvers();
    return this.#whenBegun.promise;
  }

  /** Does work at once, unless other work waits for its turn. */
  take(work: Work): void {
    const begun = this.#isPaused ? undefined : this.#go(work);
    if (!work.isDone) {
      if (work.frame !== undefined && work.since === undefined) {
        work.since = Date.now();
        work.incoming!.waits(work.frame);
      }
      if (this.#queue === NOTHING) this.#queue = [];
      if (this.#parts === undefined) this.#queue.push(work);
      else this.#queue.splice(this.#parts++, 0, work);
    }
    if (begun !== undefined) this.#pause(begun);
  }

  /** Runs `act` when a promise has settled, in a turn, and resolves with its result. Neither promise ever rejects. */
  after<Value, Result>(settled: Promise<Value>, act: (value: Value) => Result | Promise<Result>): Promise<Result> {
    this.#expected++;
    return settled.then((value) => {
      this.#expected--;
      return new Promise((resolve) => {
        const go = (): Begun => {
          work.isDone = true;
          const result = act(value);
          resolve(result);
          return result instanceof Promise ? result : undefined;
        };
        const work = { isDone: false, go, drop: go };
        this.take(work);
      });
    });
  }

  /** Gives up calls that have not begun. Their ids are in ascending order. */
  cancel(given: readonly GivenUp[]): void {
    for (const work of this.#queue) cancel(work, given);
  }

  /**
   * Notes that a call has waited for its turn since it arrived. The call belongs to the caller at that time, and the
   * wait counts for its age and its deadline.
   */
  noteWait(call: RunningCall, { caller, since }: Work): void {
    const ms = Date.now() - since!;
    call.caller = caller;
    if (call.ageMs !== undefined) call.ageMs += ms;
    if (call.deadline !== undefined) call.deadline -= ms;
  }

  /** Drops all work that waits. */
  clear(): void {
    for (const work of this.#queue.splice(0)) work.drop();
  }

  #go(work: Work): Begun {
    const isPart = this.#parts !== undefined;
    this.#parts ??= 0;
    try {
      return work.go();
    } finally {
      if (!isPart) this.#parts = undefined;
    }
  }

  #goOn(): void {
    this.#isPaused = false;
    while (!this.#isPaused && this.#queue.length > 0) {
      const work = this.#queue[0];
      const begun = this.#go(work);
      if (work.isDone) this.#queue.splice(this.#queue.indexOf(work), 1);
      if (begun !== undefined) this.#pause(begun);
    }
    if (!this.isBrief) this.#host.flush();
    if (this.#isPaused) return;
    this.#whenBegun?.resolve();
    this.#whenBegun = undefined;
  }

  #pause(begun: NonNullable<Begun>): void {
    // No other work comes within this event.
    if (this.#isPaused || (this.#queue.length === 0 && this.#expected === 0)) return;
    this.#isPaused = true;
    if (begun === LONG) this.#ask();
    else void this.#waitBriefly(begun);
  }

  /**
   * Waits a short time for work that was begun. Most asynchronous work waits for nothing that takes an event, and is
   * done before the next work begins.
   */
  async #waitBriefly(begun: Promise<unknown>): Promise<void> {
    this.isBrief = true;
    let isSettled = false;
    begun.then(() => (isSettled = true));
    await briefly(() => isSettled);
    this.isBrief = false;
    if (isSettled) return this.#goOn();
    this.#host.flush();
    this.#ask();
  }

  #ask(): void {
    if (this.#asked > 0) return;
    this.#asked = this.#atOnce;
    this.#atOnce = Math.min(this.#atOnce * 2, MAX_ASKED);
    for (let turn = 0; turn < this.#asked; turn++) setTimeout(() => this.#turn());
  }

  #turn(): void {
    this.#asked--;
    if (this.#isPaused) this.#goOn();
    if (!this.#isPaused) this.#atOnce = 1;
    else if (!this.isBrief) this.#ask();
  }
}

/** Waits until a condition is true, but not longer than an event. */
export async function briefly(isSo: () => boolean): Promise<void> {
  for (let job = 0; job < JOBS && !isSo(); job++) await undefined;
}

/** Resolves in an event of its own, after other events have had their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * Gives up the calls of work that are among these ids, which are in ascending order. The peer chooses the ids, so they
 * are not put into a Map: an engine takes quadratic time for numbers whose hashes are the same.
 */
export function cancel(work: Work, given: readonly GivenUp[]): void {
  if (work.frame === undefined) return;
  const { firstId, operations } = work.frame;
  let at = 0;
  for (let end = given.length; at < end; ) {
    const middle = (at + end) >> 1;
    if (given[middle][0] < firstId) at = middle + 1;
    else end = middle;
  }
  for (; at < given.length && given[at][0] < firstId + operations.length; at++) {
    const [id, code] = given[at];
    work.cancelled ??= new Map();
    work.cancelled.set(id, givenUp(code));
  }
}
