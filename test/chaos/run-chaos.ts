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

/** How to run. */
export interface ChaosOptions {
  seed: number;
  clients: number;
  /** Clients beside these which subscribe to what the others bring about. */
  followers: number;
  /** It ends after this time, or when so many calls have been made, whichever comes first. */
  longestMs: number;
  mostCalls: number;
  /** Asked when the time is over: it goes on until enough has happened, however slow the machine is. @default it is enough */
  isEnough?: (report: SoFar) => boolean;
  /** How clients connect, where not as by `PATIENCE`. */
  patience?: ConnectOptions;
  /** The most calls that a client makes in one turn. */
  mostCallsPerTurn?: number;
  /** The longest that nothing happens to the server; undefined where nothing ever does. */
  longestCalmMs?: number;
  /** What may happen to the server. @default all of it */
  possible?: readonly Event[];
  /** What may happen to connections. @default all */
  faults?: readonly Fault[];
  /** Let the disk be full now and then, where one can be mounted. */
  canFill?: boolean;
  /** Serve a Worker that does not keep what it promises, so that it is known that this is found. */
  broken?: boolean;
  onProgress?: (calls: number) => void;
}

/** What has happened. */
export interface SoFar {
  calls: readonly MadeCall[];
  faults: Readonly<Record<Fault, number>>;
  events: Readonly<Partial<Record<Event, number>>>;
  /** After each kind of event, of each client: milliseconds until a call that it made after it was answered. */
  resumed: Readonly<Partial<Record<Event, readonly number[]>>>;
  /** What all followers saw, and how often one of them had to subscribe again by itself. */
  followed: { events: number; gaps: number; renewals: number };
}

/** What came of it. */
export interface ChaosReport extends SoFar {
  seed: number;
  /** Whether the disk was full now and then. */
  filled: boolean;
  connections: number;
  /** What is wrong; nothing, hopefully. */
  wrong: readonly string[];
}

/** How long calls may take after all is calm, and at any other time where they have no deadline. */
const LONGEST_CALL_MS = 30_000;
/** How late deadlines may be noticed, beside the time for which this process stood still: machines are busy. */
const SLACK_MS = 3000;
/** How often it is asked whether enough has happened, when the time is over. */
const ENOUGH_MS = 100;

/** Lets clients call a server while everything fails that can, and compares in the end what they were told with what ran. */
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
  // What is still on its way must not run when the ledger has been read.
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

/** Resolves with a promise, or when it has taken too long: what it was about will be found wrong. */
async function inTime(promise: Promise<unknown>): Promise<void> {
  await Promise.race([promise, delay(LONGEST_CALL_MS, undefined, { ref: false })]);
}
