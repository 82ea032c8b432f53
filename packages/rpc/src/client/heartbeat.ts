/** Options of the heartbeat. */
export interface HeartbeatOptions {
  /** The silence after which the server is asked for a sign of life, in milliseconds. @default 30000 */
  intervalMs?: number;
  /**
   * The longest wait for the answer, in milliseconds. Also the longest time that a call is in flight on a silent
   * connection before the connection is checked.
   * @default 10000
   */
  timeoutMs?: number;
}

/** A connection that is watched. */
export interface Watched {
  /** True while calls are in flight. */
  readonly isWaiting: boolean;
  /** Asks the server for a sign of life. */
  probe(): void;
  /** The number of bytes that have not left yet. */
  waiting(): number;
  /** Gives the connection up. */
  drop(reason: string): void;
  /** Connects, or checks the connection, because something has changed. */
  look(isOffline: boolean): void;
}

/** The slowest link on which bytes count as a sign of life while they move, in bytes a millisecond. */
const SLOWEST = 8;

/** Detects that a connection has died without notice, because its network is gone or the server sleeps. */
export class Heartbeat {
  readonly #watched: Watched;
  readonly #intervalMs: number;
  readonly #timeoutMs: number;
  #timer: ReturnType<typeof setTimeout> | null;
  #isHeard: boolean;
  #isAsked: boolean;
  /** How long the server has been silent, or has not answered if it was asked. */
  #silentMs: number;
  #dueAt: number;
  /** The bytes that had not left at the last look. */
  #waiting: number;
  /** The bytes that the server has announced, which take longer to arrive. */
  #coming: number;
  #listening: AbortController | undefined;

  constructor(watched: Watched, { intervalMs = 30_000, timeoutMs = 10_000 }: HeartbeatOptions) {
    this.#watched = watched;
    this.#intervalMs = intervalMs;
    this.#timeoutMs = timeoutMs;
    this.#timer = null;
    this.#listening = undefined;
    this.#isHeard = this.#isAsked = false;
    this.#silentMs = this.#dueAt = this.#waiting = this.#coming = 0;
  }

  /** Begins to watch a connection that has opened. */
  start(): void {
    this.#listen(true);
  }

  stop(): void {
    clearTimeout(this.#timer!);
  }

  /** Notes a sign of life. */
  heard(): void {
    this.#isHeard = true;
    this.#coming = 0;
  }

  /** Notes that a message of so many bytes is on its way: nothing else arrives meanwhile. */
  announced(bytes: number): void {
    this.#coming = bytes;
  }

  /** Asks for a sign of life now. A question that is still open keeps its time limit. */
  ask(): void {
    if (this.#isAsked && !this.#isHeard) return;
    this.#listen(false);
    this.#isAsked = true;
    this.#watched.probe();
  }

  #listen(isHeard: boolean): void {
    this.#isHeard = isHeard;
    this.#isAsked = false;
    this.#silentMs = 0;
    this.#wait();
  }

  #wait(): void {
    const pauseMs = Math.min(this.#timeoutMs, this.#intervalMs);
    this.#dueAt = Date.now() + pauseMs;
    clearTimeout(this.#timer!);
    this.#timer = setTimeout(() => this.#look(pauseMs), pauseMs);
  }

  #look(pauseMs: number): void {
    const waiting = this.#watched.waiting();
    const moves = waiting < this.#waiting;
    this.#waiting = waiting;
    if (this.#isHeard || moves) return this.#listen(false);
    // If the check runs this late, nothing else ran meanwhile: a page was frozen, or a program was busy. The answer may
    // have arrived and be read next.
    const isLate = Date.now() - this.#dueAt >= this.#timeoutMs;
    this.#silentMs += pauseMs;
    if (this.#isAsked ? isLate : this.#watched.isWaiting || this.#silentMs >= this.#intervalMs) {
      this.#isAsked = false;
      this.ask();
    } else if (this.#isAsked && this.#silentMs >= this.#timeoutMs + this.#coming / SLOWEST)
      this.#watched.drop('no sign of life');
    else this.#wait();
  }

  /** Listens for reasons to check the connection of a page: the network is back or gone, or somebody looks at it. */
  wake(): void {
    if (this.#listening !== undefined) return;
    const page = globalThis as Partial<EventTarget> & {
      document?: Partial<EventTarget> & { visibilityState?: string };
    };
    const { document } = page;
    if (document === undefined) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const listener = ({ type }: { type: string }) => {
      if (type !== 'visibilitychange' || document.visibilityState === 'visible') this.#watched.look(type === 'offline');
    };
    document.addEventListener?.('visibilitychange', listener, { signal });
    for (const event of ['online', 'offline', 'focus', 'pageshow'])
      page.addEventListener?.(event, listener, { signal });
  }

  /** Stops listening to the page. */
  sleep(): void {
    this.stop();
    this.#listening?.abort();
    this.#listening = undefined;
  }
}
