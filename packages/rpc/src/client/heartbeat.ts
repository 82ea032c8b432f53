import { startTimer } from '../peer/timer.ts';
import type { Client } from './client.ts';

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

/** The slowest link on which bytes count as a sign of life while they move, in bytes a millisecond. */
const SLOWEST = 8;
/** The same for bytes that this side has sent, which it mostly sees leave. */
const SLOWEST_UP = 64;

/** Detects that a connection has died without notice, because its network is gone or the server sleeps. */
export function heartbeatOf(client: Client, { intervalMs = 30_000, timeoutMs = 10_000 }: HeartbeatOptions) {
  const pauseMs = Math.min(timeoutMs, intervalMs);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isHeard = false;
  let isAsked = false;
  /** How long the server has been silent, or has not answered if it was asked. */
  let silentMs = 0;
  let dueAt = 0;
  /** The bytes that had not left at the last look. */
  let waiting = 0;
  /** The bytes that the server has announced, which take longer to arrive. */
  let coming = 0;
  /** The bytes that had been sent at the last sign of life. */
  let sent = 0;
  let listening: AbortController | undefined;

  const wait = () => {
    clearTimeout(timer!);
    dueAt = Date.now() + pauseMs;
    timer = startTimer(look, pauseMs);
  };
  const begin = () => {
    isHeard = isAsked = false;
    silentMs = 0;
    wait();
  };
  const look = () => {
    const before = waiting;
    waiting = client.unsent;
    if (isHeard || waiting < before) return begin();
    // If the check runs this late, nothing else ran meanwhile: a page was frozen, or a program was busy. The answer may
    // have arrived and be read next.
    const isLate = Date.now() - dueAt >= timeoutMs;
    silentMs += pauseMs;
    if (isAsked ? isLate : client.calls.size > 0 || silentMs >= intervalMs) {
      isAsked = false;
      heartbeat.ask();
    } else if (isAsked && silentMs >= timeoutMs + coming / SLOWEST + (client.traffic.bytesSent - sent) / SLOWEST_UP)
      client.drop('no sign of life');
    else wait();
  };
  const heartbeat = {
    /** Begins to watch a connection that has opened. */
    start(): void {
      begin();
      isHeard = true;
    },
    /** Stops watching; with `isForGood`, the page as well. */
    stop(isForGood: boolean): void {
      clearTimeout(timer!);
      if (!isForGood) return;
      listening?.abort();
      listening = undefined;
    },
    /** Notes a sign of life, and that a message of so many bytes is on its way: nothing else arrives meanwhile. */
    heard(bytes = 0): void {
      isHeard = true;
      coming = bytes;
      sent = client.traffic.bytesSent;
    },
    /** Asks for a sign of life now. A question that is still open keeps its time limit. */
    ask(): void {
      if (isAsked && !isHeard) return;
      begin();
      isAsked = true;
      client.probe();
    },
    /** Listens for reasons to check the connection of a page: the network is back or gone, or somebody looks at it. */
    wake(): void {
      const page = globalThis as Partial<EventTarget> & {
        document?: (Partial<EventTarget> & { visibilityState?: string }) | null;
      };
      const { document } = page;
      if (listening !== undefined || !document) return;
      listening = new AbortController();
      const { signal } = listening;
      const listener = ({ type }: { type: string }) => {
        if (type !== 'visibilitychange' || document.visibilityState === 'visible') client.look(type === 'offline');
      };
      for (const event of ['visibilitychange', 'online', 'offline', 'focus', 'pageshow']) {
        (event === 'visibilitychange' ? document : page).addEventListener?.(event, listener, { signal });
      }
    },
  };
  return heartbeat;
}
