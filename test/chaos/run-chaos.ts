import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@lumenize/hosts/random';
import type { ConnectOptions } from '@lumenize/rpc';
import { ChaosProxy } from './chaos-proxy.ts';
import { ChaosServer } from './chaos-server.ts';
import { check } from './check.ts';
import { ChaosClient, PATIENCE } from './clients.ts';
import { drawPlan, type Fault } from './faults.ts';
import { Follower } from './follower.ts';
import { History, type MadeCall } from './history.ts';
import { type Event, makeWeather } from './weather.ts';

/** Options of a run. */
export interface ChaosOptions {
  seed: number;
  clients: number;
  /** Number of further clients, which subscribe to the counter. */
  followers: number;
  /** The run ends after this time or this number of calls, whichever comes first. */
  longestMs: number;
  mostCalls: number;
  /**
   * Returns true if enough has happened. The run continues until then, however slow the machine is. Called when the time
   * is over.
   * @default always true
   */
  isEnough?: (report: SoFar) => boolean;
  /** Options of clients that replace those of `PATIENCE`. */
  patience?: ConnectOptions;
  /** The most calls that a client makes in one turn. */
  mostCallsPerTurn?: number;
  /** The longest time between two events of the server; undefined for a run without events. */
  longestCalmMs?: number;
  /** Events that may happen to the server. @default all */
  possible?: readonly Event[];
  /** Faults of connections. @default all */
  faults?: readonly Fault[];
  /** Lets the disk be full at times, if one can be mounted. */
  canFill?: boolean;
  /** Serves a Worker that breaks a promise, to show that the checks find it. */
  broken?: boolean;
  onProgress?: (calls: number) => void;
}

/** The state of a run. */
export interface SoFar {
  calls: readonly MadeCall[];
  faults: Readonly<Record<Fault, number>>;
  events: Readonly<Partial<Record<Event, number>>>;
  /** For each kind of event, the milliseconds after it until a later call of each client was answered. */
  resumed: Readonly<Partial<Record<Event, readonly number[]>>>;
  /** Totals of all followers. A renewal is a subscription that ended and was made again. */
  followed: { events: number; gaps: number; renewals: number };
}

/** The result of a run. */
export interface ChaosReport extends SoFar {
  seed: number;
  /** True if a disk that can be full was mounted. */
  filled: boolean;
  connections: number;
  /** A sentence for each failure. */
  wrong: readonly string[];
}

/** The longest time of a call after the faults have stopped, and of a call without a deadline. */
const LONGEST_CALL_MS = 30_000;
/** The longest delay after a deadline, beyond the time for which this process was blocked. */
const SLACK_MS = 3000;
/** The interval of calls of `isEnough`. */
const ENOUGH_MS = 100;

/** Lets clients call a server while everything fails, then compares the outcomes of their calls with what ran. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed } = options;
  await using server = await ChaosServer.start({ canFill: options.canFill, broken: options.broken });
  await using proxy = await ChaosProxy.listen(server.port, seed, (random) => drawPlan(random, options.faults));

  const url = `ws://127.0.0.1:${proxy.port}/rpc/chaos/main`;
  const history = new History();
  const over = new AbortController();
  const { signal } = over;
  const patience = { ...PATIENCE, ...options.patience };
  const pauses = monitorEventLoopDelay();
  pauses.enable();
  const clients = Array.from({ length: options.clients }, (_, client) => {
    const { mostCallsPerTurn = 50, mostCalls } = options;
    return new ChaosClient({
      client,
      url,
      patience,
      history,
      random: seededRandom(seed * 7919 + client),
      mostCallsPerTurn,
      goesOn() {
        if (history.calls.length >= mostCalls) over.abort();
        return !signal.aborted;
      },
    });
  });

  const followers = Array.from({ length: options.followers }, (_, index) => {
    const number = options.clients + index;
    return new Follower({ url, random: seededRandom(seed * 7919 + number), patience });
  });
  for (const follower of followers) void follower.run();

  const events: Partial<Record<Event, number>> = {};
  const resumed: Partial<Record<Event, number[]>> = {};
  const weather = async () => {
    if (options.longestCalmMs === undefined) return;
    await makeWeather(
      {
        server,
        random: seededRandom(seed),
        longestCalmMs: options.longestCalmMs,
        possible: options.possible,
        happened(event) {
          events[event] = (events[event] ?? 0) + 1;
          resumed[event] ??= [];
          const times = resumed[event];
          for (const client of clients) void client.answered().then((ms) => times.push(ms));
        },
      },
      signal,
    );
  };
  const sum = (what: 'events' | 'gaps' | 'renewals') => followers.reduce((total, each) => total + each[what], 0);
  const soFar = (): SoFar => ({
    calls: history.calls,
    faults: proxy.counts,
    events,
    resumed,
    followed: { events: sum('events'), gaps: sum('gaps'), renewals: sum('renewals') },
  });
  const endWhenEnough = () => {
    if (options.isEnough?.(soFar()) ?? true) over.abort();
    else timer = setTimeout(endWhenEnough, ENOUGH_MS);
  };
  let timer = setTimeout(endWhenEnough, options.longestMs);
  const progress = setInterval(() => options.onProgress?.(history.calls.length), 1000);
  try {
    await Promise.all([weather(), ...clients.map((client) => client.run())]);
  } finally {
    clearTimeout(timer);
    clearInterval(progress);
    over.abort();
  }

  proxy.calm();
  await inTime(Promise.all(clients.map((client) => client.settled())));
  const { increments } = await server.settledLedger();
  await inTime(Promise.all(followers.map((follower) => follower.reaches(increments))));
  for (const client of [...clients, ...followers]) client[Symbol.dispose]();
  const report = { seed, ...soFar(), connections: proxy.accepted };
  // Frames that are still on their way must not run once the ledger has been read.
  await proxy[Symbol.asyncDispose]();
  const ledger = await server.settledLedger();
  const mayThrow = events.full !== undefined;
  const wrong = followers.flatMap((follower) => [
    ...follower.wrong,
    ...(follower.last < increments ? [`a follower came to ${follower.last} of ${increments}`] : []),
  ]);
  const slackMs = SLACK_MS + pauses.max / 1e6;
  const circumstances = { mayThrow, longestMs: LONGEST_CALL_MS, slackMs };
  wrong.push(...check(history.calls, ledger, circumstances));
  return { ...report, filled: server.canFill, wrong };
}

/** Resolves with a promise, or when it takes too long. The checks then find what is missing. */
async function inTime(promise: Promise<unknown>): Promise<void> {
  await Promise.race([promise, delay(LONGEST_CALL_MS, undefined, { ref: false })]);
}
