import { Timer } from '../session/timer.ts';

/** How a connection is watched that says nothing. */
export interface HeartbeatOptions {
  /** How long a connection may be silent before it is asked for a sign of life, in milliseconds. @default 30000 */
  intervalMs?: number;
  /** How long the answer may take, and how long a call may be in flight on a silent connection before that is asked, in milliseconds. @default 10000 */
  timeoutMs?: number;
}

/** What a heartbeat needs of what it watches. */
interface Watched {
  /** Whether something is being waited for. */
  readonly isWaiting: boolean;
  /** Asks the other side for a sign of life. */
  probe(): void;
  /** The other side has given none. */
  dead(): void;
}

/** Finds out that a connection has died without a word: its network is gone, or its other side sleeps. */
export class Heartbeat {
  readonly #watched: Watched;
  readonly #intervalMs: number;
  readonly #timeoutMs: number;
  readonly #timer = new Timer();
  #isHeard = true;
  #isAsked = false;
  #silentMs = 0;

  constructor(watched: Watched, { intervalMs = 30_000, timeoutMs = 10_000 }: HeartbeatOptions) {
    this.#watched = watched;
    this.#intervalMs = intervalMs;
    this.#timeoutMs = timeoutMs;
  }

  start(): void {
    this.stop();
    this.#isHeard = true;
    this.#wait();
  }

  stop(): void {
    this.#timer.stop();
    this.#isAsked = false;
    this.#silentMs = 0;
  }

  /** Notes a sign of life. */
  heard(): void {
    this.#isHeard = true;
  }

  /** Asks for a sign of life now. */
  ask(): void {
    this.#isHeard = false;
    this.#isAsked = true;
    this.#watched.probe();
    this.#wait();
  }

  #wait(): void {
    this.#timer.set(Math.min(this.#timeoutMs, this.#intervalMs), () => this.#look());
  }

  #look(): void {
    if (this.#isHeard) {
      this.#isHeard = this.#isAsked = false;
      this.#silentMs = 0;
      return this.#wait();
    }
    if (this.#isAsked) return this.#watched.dead();
    this.#silentMs += this.#timeoutMs;
    if (this.#watched.isWaiting || this.#silentMs >= this.#intervalMs) this.ask();
    else this.#wait();
  }
}
