import { CLOSE_ABNORMAL } from '../protocol/close-codes.ts';
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
  /** Gives the connection up. */
  drop(code: number, reason: string): void;
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
  /** When to look, by the date. */
  #dueAt = 0;

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
    const ms = Math.min(this.#timeoutMs, this.#intervalMs);
    this.#dueAt = Date.now() + ms;
    this.#timer.set(ms, () => this.#look());
  }

  #look(): void {
    if (this.#isHeard) {
      this.#isHeard = this.#isAsked = false;
      this.#silentMs = 0;
      return this.#wait();
    }
    // Where this comes that late, nothing ran meanwhile: a page was frozen, or a program busy. The answer may have come, and be read next.
    const isLate = Date.now() - this.#dueAt >= this.#timeoutMs;
    if (this.#isAsked) return isLate ? this.ask() : this.#watched.drop(CLOSE_ABNORMAL, 'no sign of life');
    this.#silentMs += this.#timeoutMs;
    if (this.#watched.isWaiting || this.#silentMs >= this.#intervalMs) this.ask();
    else this.#wait();
  }
}
