/** Microtasks for which a method that waits is waited for: by then, what waits only for storage in memory is done. */
const JOBS = 64;
/** Microtasks that it takes until the result of a method has become an answer. */
const ANSWER_JOBS = 8;
/** Jobs that have begun and are still in the list, at most. */
const MOST_DONE = 1000;
/** Turns that are asked for at once, at most. A timer goes off a millisecond late, however many are set. */
const MOST_ASKED = 64;

/**
 * Lets the calls of a connection take turns. As long as methods do not wait, there is nothing to do. While one waits,
 * the next call begins in an event of its own, as if it had been sent by itself: the input gate of a Durable Object
 * holds events back while storage is read or written, and does not see inside of an event.
 */
export class Turns {
  /** Told when the calls that could begin have begun. */
  declare private readonly peer: { flush(): void };
  declare private readonly jobs: (() => void)[];
  /** The place of the next job in the list: to move all others up for each takes long. */
  declare private next: number;
  /** The result of the last method that has begun in this event, until it settles. */
  declare private begun: Promise<unknown> | undefined;
  /** True while calls may not begin for another reason. */
  declare isHeld: boolean;
  /** True while calls may still begin in this event, so that results that are ready wait for theirs. */
  declare isBrief: boolean;
  /** The number of turns that were asked for. */
  declare private asked: number;

  constructor(peer: { flush(): void }) {
    this.peer = peer;
    this.jobs = [];
    this.begun = undefined;
    this.isHeld = this.isBrief = false;
    this.asked = this.next = 0;
  }

  /** True if a call has to wait for its turn. */
  get isTaken(): boolean {
    return this.begun !== undefined || this.isHeld || this.jobs.length > this.next;
  }

  private get length(): number {
    return this.jobs.length - this.next;
  }

  /** Notes what a method that waits has returned, and returns a promise of it. */
  wait(result: PromiseLike<unknown>): Promise<unknown> {
    // One `then`, whatever the class of the result: some begin their work with each.
    const promise = Promise.resolve(result);
    const settled = () => {
      if (this.begun === promise) this.begun = undefined;
    };
    this.begun = promise;
    promise.then(settled, settled);
    return promise;
  }

  /** Runs a job when its turn has come. */
  later(job: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.jobs.push(() => {
        try {
          resolve(job());
        } catch (error) {
          reject(error);
        }
      });
      this.pause();
    });
  }

  /** Notes that an event has begun: the gate was open for it. */
  event(): void {
    if (this.jobs.length === this.next) this.begun = undefined;
  }

  /** Lets no call begin, or lets them begin again. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    this.pause();
  }

  /** Drops all jobs: nobody waits for them any more. */
  clear(): void {
    this.jobs.length = this.next = 0;
  }

  private pause(): void {
    if (this.isBrief || this.isHeld || this.length === 0) return;
    this.isBrief = true;
    void this.goOnBriefly();
  }

  private async goOnBriefly(): Promise<void> {
    while (this.length > 0 && !this.isHeld) {
      for (let job = 0; job < JOBS && this.begun !== undefined; job++) await undefined;
      if (this.begun !== undefined) break;
      this.run();
    }
    // What the last of them has begun may be ready soon.
    for (let job = 0; job < ANSWER_JOBS || (job < JOBS && this.begun !== undefined); job++) await undefined;
    this.isBrief = false;
    this.peer.flush();
    this.ask();
  }

  private run(): void {
    while (this.begun === undefined && !this.isHeld && this.length > 0) this.jobs[this.next++]();
    // What has begun is let go of now and then.
    if (this.next < MOST_DONE && this.length > 0) return;
    this.jobs.splice(0, this.next);
    this.next = 0;
  }

  private ask(): void {
    for (const most = Math.min(this.length, MOST_ASKED); this.asked < most; this.asked++) {
      setTimeout(() => {
        this.asked--;
        this.begun = undefined;
        this.run();
        this.pause();
      });
    }
  }
}
