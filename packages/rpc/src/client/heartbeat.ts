import { Timer } from '../session/timer.ts';
import type { HeartbeatOptions } from './options.ts';

/** The connection that a heartbeat watches. */
interface Watched {
  /** True while calls are in flight, or wait. */
  readonly isWaiting: boolean;
  /** Asks the other side for a sign of life. */
  probe(): void;
  /** Gives the connection up. */
  drop(reason: string): void;
}

/** Finds out that a connection has died without a word: its network is gone, or its other side sleeps. */
export class Heartbeat {
  readonly #watched: Watched;
  readonly #intervalMs: number;
  readonly #timeoutMs: number;
  readonly #timer = new Timer();
  /** True once there was a sign of life since the other side was asked for one, or looked at. */
  isHeard = true;
  #isAsked = false;
  #silentMs = 0;
  /** Date of the next look. */
  #dueAt = 0;

  constructor(watched: Watched, { intervalMs = 30_000, timeoutMs = 10_000 }: HeartbeatOptions) {
    this.#watched = watched;
    this.#intervalMs = intervalMs;
    this.#timeoutMs = timeoutMs;
  }

  /** Begins to wait for silence: a connection that has just opened counts as heard. */
  start(isHeard = true): void {
    this.isHeard = isHeard;
    this.#isAsked = false;
    this.#silentMs = 0;
    this.#wait();
  }

  stop(): void {
    this.#timer.stop();
  }

  /** Asks for a sign of life now. */
  ask(): void {
    this.isHeard = false;
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
    if (this.isHeard) return this.start(false);
    // Where this comes that late, nothing ran meanwhile: a page was frozen, or a program busy. The answer may have come, and be read next.
    const isLate = Date.now() - this.#dueAt >= this.#timeoutMs;
    if (this.#isAsked) return isLate ? this.ask() : this.#watched.drop('no sign of life');
    this.#silentMs += this.#timeoutMs;
    if (this.#watched.isWaiting || this.#silentMs >= this.#intervalMs) this.ask();
    else this.#wait();
  }
}

type Listening = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;

/** Events with which a page has reason to look at its connection: the network is back, or gone, or somebody looks at the page. */
const WINDOW_EVENTS = ['online', 'offline', 'focus', 'pageshow'];

/**
 * Calls `look` when it is worth a try to see whether a connection still lives, and unless `isOffline`, to connect; returns how to
 * stop. Does nothing outside of pages.
 */
export function whenWorthATry(look: (isOffline: boolean) => void): () => void {
  const page = globalThis as unknown as Listening & { document?: Listening & { visibilityState: string } };
  const { document } = page;
  if (document === undefined) return () => {};
  const listener = ({ type }: { type: string }) => look(type === 'offline');
  const visible = () => document.visibilityState === 'visible' && look(false);
  for (const event of WINDOW_EVENTS) page.addEventListener(event, listener);
  document.addEventListener('visibilitychange', visible);
  return () => {
    for (const event of WINDOW_EVENTS) page.removeEventListener(event, listener);
    document.removeEventListener('visibilitychange', visible);
  };
}
