import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@lumenize/hosts/random';
import type { ChaosServer } from './chaos-server.ts';

/** Events of the server and of the clock. */
export const EVENTS = ['kill', 'deploy', 'abort', 'evict', 'full', 'clock'] as const;

export type Event = (typeof EVENTS)[number];

/** The share of waits that take the longest time. All others take at most a quarter of it. */
const LONG_CALMS = 0.1;
const LONGEST_DOWN_MS = 1500;
const LONGEST_FULL_MS = 500;
const LONGEST_EVICTION_MS = 1000;
/** The longest jump of a clock, in either direction. */
const FARTHEST_JUMP_MS = 24 * 3600_000;

/** Options of `makeWeather`. */
export interface WeatherOptions {
  server: ChaosServer;
  random: Random;
  /** The longest time between two events, in milliseconds. */
  longestCalmMs: number;
  /** Events that may happen. @default all */
  possible?: readonly Event[];
  /** Called after each event, when the server is serving again. */
  happened: (event: Event) => void;
}

/** Causes one event after the other until the signal aborts. The server is serving then. */
export async function makeWeather(
  { server, random, longestCalmMs, possible = EVENTS, happened }: WeatherOptions,
  signal: AbortSignal,
): Promise<void> {
  using clock = new JumpingClock();
  const events = possible.filter((event) => event !== 'full' || server.canFill);
  if (events.length === 0) return;
  const wait = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
  for (;;) {
    // Sometimes waits longer, for faults of connections that take their time.
    await wait(random() < LONG_CALMS ? longestCalmMs : (random() * longestCalmMs) / 4);
    if (signal.aborted) return;
    const event = events[Math.floor(random() * events.length)];
    switch (event) {
      case 'kill':
        await server.kill();
        await wait(random() * LONGEST_DOWN_MS);
        await server.restart();
        break;
      case 'deploy':
        await server.deploy();
        break;
      case 'abort':
        await server.abort();
        break;
      case 'evict':
        // An eviction needs an idle moment. Under load there may be none, so other events get their turn.
        if (!(await Promise.race([server.evict().catch(() => false), wait(LONGEST_EVICTION_MS)]))) continue;
        break;
      case 'full':
        await server.fillStorage();
        await wait(random() * LONGEST_FULL_MS);
        await server.freeStorage();
        break;
      case 'clock':
        clock.jump((random() * 2 - 1) * FARTHEST_JUMP_MS);
        break;
      default:
        event satisfies never;
    }
    happened(event);
  }
}

/** Makes `Date.now()` of this process and its clients jump. Timers and `performance.now()` do not change. */
class JumpingClock implements Disposable {
  readonly #real = Date.now;
  #offsetMs = 0;

  constructor() {
    Date.now = () => this.#real() + this.#offsetMs;
  }

  jump(ms: number): void {
    this.#offsetMs += Math.round(ms);
  }

  [Symbol.dispose](): void {
    Date.now = this.#real;
  }
}
