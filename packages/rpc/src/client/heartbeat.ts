import { Timer } from '../session/timer.ts';
import type { HeartbeatOptions } from './options.ts';

/** The connection that a heartbeat watches. */
interface Watched {
  /** True once there was a sign of life since the other side was asked for one, or looked at. */
  isHeard: boolean;
  /** Asks the other side for a sign of life. */
  probe(): void;
  /** Gives the connection up. */
  drop(reason: string): void;
}

/** Finds out that a connection has died without a word: its network is gone, or its other side sleeps. */
export interface Heartbeat {
  /** Begins to wait for silence: a connection that has just opened counts as heard. */
  start(): void;
  stop(): void;
  /** Asks for a sign of life now. */
  ask(): void;
}

/** Makes the heartbeat of a connection; `isWaiting` is true while calls are in flight, or wait. */
export function heartbeatOf(
  watched: Watched,
  calls: { readonly isWaiting: boolean },
  { intervalMs = 30_000, timeoutMs = 10_000 }: HeartbeatOptions,
): Heartbeat {
  const timer = new Timer();
  let isAsked = false;
  let silentMs = 0;
  /** Date of the next look. */
  let dueAt = 0;

  const wait = () => {
    const ms = Math.min(timeoutMs, intervalMs);
    dueAt = Date.now() + ms;
    timer.set(ms, look);
  };
  const start = (isHeard = true) => {
    watched.isHeard = isHeard;
    isAsked = false;
    silentMs = 0;
    wait();
  };
  const ask = () => {
    watched.isHeard = false;
    isAsked = true;
    watched.probe();
    wait();
  };
  const look = () => {
    if (watched.isHeard) return start(false);
    // Where this comes that late, nothing ran meanwhile: a page was frozen, or a program busy. The answer may have come, and be read next.
    const isLate = Date.now() - dueAt >= timeoutMs;
    if (isAsked) return isLate ? ask() : watched.drop('no sign of life');
    silentMs += timeoutMs;
    if (calls.isWaiting || silentMs >= intervalMs) ask();
    else wait();
  };
  return { start, stop: () => timer.stop(), ask };
}

/** Events with which a page has reason to look at its connection: the network is back, or gone, or somebody looks at the page. */
const EVENTS = ['online', 'offline', 'focus', 'pageshow', 'visibilitychange'];

/**
 * Calls `look` when it is worth a try to see whether a connection still lives, and unless `isOffline`, to connect; returns how to
 * stop. Does nothing outside of pages.
 */
export function whenWorthATry(look: (isOffline: boolean) => void): () => void {
  const page = globalThis as unknown as EventTarget & { document?: EventTarget & { visibilityState: string } };
  const { document } = page;
  const stop = new AbortController();
  const listener = ({ type }: { type: string }) => {
    if (type !== 'visibilitychange' || document!.visibilityState === 'visible') look(type === 'offline');
  };
  for (const event of document === undefined ? [] : EVENTS) {
    const target = event === 'visibilitychange' ? document! : page;
    target.addEventListener(event, listener, { signal: stop.signal });
  }
  return () => stop.abort();
}
