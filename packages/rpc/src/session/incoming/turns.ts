import type { CallFrame } from '../../protocol/operation.ts';
import type { Caller, RunningCall } from './call-context.ts';

/**
 * Work that was begun and is not settled; `LONG` where nothing was, but the turn was long; undefined where there is
 * nothing to wait for.
 */
export type Begun = Promise<unknown> | typeof LONG | undefined;

/** Work that is done in one turn, or in several. */
export interface Work {
  readonly isDone: boolean;
  /** Goes on until it is done, has begun something that is not settled, or has had a long turn. */
  go(): Begun;
  /** The frame whose calls it runs, if it does, and the half of a session that it runs them for. */
  readonly frame?: CallFrame;
  readonly incoming?: { waits(frame: CallFrame): void };
  /** The caller when it arrived. */
  readonly caller?: Caller | undefined;
  /** Since when it waits for its turn. */
  since?: number | undefined;
  /** Calls that are given up before they begin, and why. */
  cancelled?: Map<number, string> | undefined;
  /** Ends it: nothing more of it is to run. */
  drop(): void;
}

export const LONG = Symbol('a long turn');

/** The queue of sessions for which nothing has ever waited, which are most. */
const NOTHING: Work[] = [];

/** So many operations in a row are a long turn: some ten milliseconds of reading. */
export const OPERATIONS_A_TURN = 10_000;

/** So many jobs are waited for what has begun: by then all is done that waits for nothing but storage in memory. */
const JOBS = 64;
/** A timer goes off a millisecond late, however many do: so turns are asked for several at once. */
const MAX_ASKED = 64;

/**
 * Has what the other side asks for take turns, in order. What is synchronous is done in one turn. When something has begun and
 * waits, what comes next begins in an event of its own, as if it had been delivered by itself: a Durable Object's input gate,
 * which holds events back while storage is read or written, then does for the calls of one frame what it does for all others.
 */
export class Turns {
  readonly #host: { flush(): void };
  #queue: Work[] = NOTHING;
  /** Number of pieces of work that wait for something else and come when that is there. */
  #expected = 0;
  #isPaused = false;
  #whenBegun: PromiseWithResolvers<void> | undefined;
  /** While something goes on: how much of it, which comes before the rest, waits at the front. */
  #parts: number | undefined;
  /** True if more is to come within this event, so that what is ready may wait for it. */
  isBrief = false;
  /** Turns that have been asked for, and how many are asked for next time. */
  #asked = 0;
  #atOnce = 1;

  /** `host` is told to flush at the end of each turn that had to be waited for. */
  constructor(host: { flush(): void }) {
    this.#host = host;
  }

  /** Resolves when all that was asked for has begun; undefined where it has. */
  get begun(): Promise<void> | undefined {
    if (!this.#isPaused) return undefined;
    this.#whenBegun ??= Promise.withResolvers();
    return this.#whenBegun.promise;
  }

  /** Does something: at once, unless others wait for their turn. */
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

  /** Acts when something has settled, and resolves with what comes of it. Neither ever rejects. */
  after<Value, Result>(settled: Promise<Value>, act: (value: Value) => Result | Promise<Result>): Promise<Result> {
    this.#expected++;
    return settled.then((value) => {
      this.#expected--;
      return new Promise((resolve) => this.take(new Waiting(() => act(value), resolve)));
    });
  }

  /** Gives a call up that has not begun. */
  cancel(callId: number, code: string): void {
    for (const work of this.#queue) {
      const { firstId = 0, operations = [] } = work.frame ?? {};
      if (!(callId - firstId in operations)) continue;
      work.cancelled ??= new Map();
      work.cancelled.set(callId, code);
    }
  }

  /** Notes that a call has waited for its turn since it arrived: it is still of who called then. */
  noteWait(call: RunningCall, { caller, since }: Work): void {
    const ms = Date.now() - since!;
    call.caller = caller;
    if (call.ageMs !== undefined) call.ageMs += ms;
    if (call.deadline !== undefined) call.deadline -= ms;
  }

  /** Drops all that waits. */
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
    // Nothing else comes within this event.
    if (this.#isPaused || (this.#queue.length === 0 && this.#expected === 0)) return;
    this.#isPaused = true;
    if (begun === LONG) this.#ask();
    else void this.#waitBriefly(begun);
  }

  /** Most of what is asynchronous waits for nothing that takes an event: then it is done before the next thing begins. */
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

/** Waits until something is so, but not for longer than an event. */
export async function briefly(isSo: () => boolean): Promise<void> {
  for (let job = 0; job < JOBS && !isSo(); job++) await undefined;
}

/** Resolves in an event of its own, when others have had their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

class Waiting<Result> implements Work {
  readonly #act: () => Result | Promise<Result>;
  readonly #resolve: (result: Result | Promise<Result>) => void;
  isDone = false;

  constructor(act: () => Result | Promise<Result>, resolve: (result: Result | Promise<Result>) => void) {
    this.#act = act;
    this.#resolve = resolve;
  }

  go(): Begun {
    this.isDone = true;
    const result = this.#act();
    this.#resolve(result);
    return result instanceof Promise ? result : undefined;
  }

  drop(): void {
    this.go();
  }
}
