import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@lumenize/hosts/random';
import type { ChaosServer } from './chaos-server.ts';

/** What happens to the server, and to the clock. */
export const EVENTS = ['kill', 'deploy', 'abort', 'evict', 'full', 'clock'] as const;

export type Event = (typeof EVENTS)[number];

/** How often nothing happens for the longest time; else it is a quarter of that at most. */
const LONG_CALMS = 0.1;
const LONGEST_DOWN_MS = 1500;
const LONGEST_FULL_MS = 500;
const LONGEST_EVICTION_MS = 1000;
/** How far a clock jumps, either way. */
const FARTHEST_JUMP_MS = 24 * 3600_000;

/** What the weather acts on, and what it tells of. */
export interface WeatherOptions {
  server: ChaosServer;
  random: Random;
  /** The longest that nothing happens. */
  longestCalmMs: number;
  /** What may happen. @default everything */
  possible?: readonly Event[];
  /** Told after each event, when the server serves again. */
  happened: (event: Event) => void;
}

/** Has one thing after the other happen to the server, until the signal is aborted; then it serves. */
export async function makeWeather(
  { server, random, longestCalmMs, possible = EVENTS, happened }: WeatherOptions,
  signal: AbortSignal,
): Promise<void> {
  using clock = new JumpingClock();
  const events = possible.filter((event) => event !== 'full' || server.canFill);
  if (events.length === 0) return;
  const wait = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
  for (;;) {
    // Now and then it leaves connections the time to go wrong in ways that take some.
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
        // It waits for a moment in which nothing goes on. Under load there may be none, and other things are to happen.
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

/** Makes `Date.now()` of this process, and so of its clients, jump. Timers and `performance.now()` go on as they do in reality. */
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
