import type { Extension, Heartbeat, HeartbeatOptions, Watched } from '../../session/extension.ts';
import { Timer } from '../../session/timer.ts';

/**
 * Detects connections that have died without notice. In pages, it also checks the connection, or connects, when the
 * network changes or the user returns.
 */
export const heartbeat: Extension = { name: 'heartbeat', watch };

function watch(watched: Watched, calls: { readonly isWaiting: boolean }, options: HeartbeatOptions | false): Heartbeat {
  const waking = wakingOf(watched.connect);
  if (options === false) return { ...waking, start: waking.wake };
  const { intervalMs = 30_000, timeoutMs = 10_000 } = options;
  const timer = new Timer();
  /** Time between two checks. */
  const pauseMs = Math.min(timeoutMs, intervalMs);
  let isAsked = false;
  /** How long the peer has been silent, or has not answered if it was asked. */
  let silentMs = 0;
  /** Time of the next check, in milliseconds since 1970. */
  let dueAt = 0;

  const wait = () => {
    dueAt = Date.now() + pauseMs;
    timer.set(pauseMs, look);
  };
  const listen = (isHeard: boolean) => {
    watched.isHeard = isHeard;
    isAsked = false;
    silentMs = 0;
    wait();
  };
  const ask = () => {
    listen(false);
    isAsked = true;
    watched.probe();
  };
  const look = () => {
    if (watched.isHeard) return listen(false);
    // If the check runs this late, nothing else ran meanwhile: a page was frozen, or a program was busy. The answer may
    // have arrived and be read next.
    const isLate = Date.now() - dueAt >= timeoutMs;
    silentMs += pauseMs;
    if (isAsked ? isLate : calls.isWaiting || silentMs >= intervalMs) ask();
    else if (isAsked && silentMs >= timeoutMs) watched.drop('no sign of life');
    else wait();
  };
  return {
    wake: waking.wake,
    start() {
      waking.wake();
      listen(true);
    },
    stop() {
      waking.stop();
      timer.stop();
    },
    ask() {
      // A question that is still open keeps its time limit, however often the user returns.
      if (!isAsked || watched.isHeard) ask();
    },
  };
}

/**
 * Events after which a page should check its connection: the network is back or gone, or somebody looks at the page.
 */
const EVENTS = ['online', 'offline', 'focus', 'pageshow', 'visibilitychange'];

type Waking = Pick<Heartbeat, 'wake' | 'stop'>;

/**
 * Calls `look` on events that are a reason to check the connection and, unless `isOffline`, to connect. Does nothing
 * outside of pages. What looks like a page may lack any part of one, as in React Native or with a simulated document.
 */
function wakingOf(look: (isOffline: boolean) => void): Waking {
  const page = globalThis as Partial<EventTarget> & { document?: Partial<EventTarget> & { visibilityState?: string } };
  const listener = ({ type }: { type: string }) => {
    if (type !== 'visibilitychange' || page.document?.visibilityState === 'visible') look(type === 'offline');
  };
  const all = (method: 'addEventListener' | 'removeEventListener') => {
    const { document } = page;
    if (!document) return;
    for (const event of EVENTS) {
      try {
        (event === 'visibilitychange' ? document : page)[method]!(event, listener);
      } catch {
        // Without these events, the connection is only checked later.
      }
    }
  };
  return { wake: () => all('addEventListener'), stop: () => all('removeEventListener') };
}
