import type { RaceStub, Scenario } from './scenarios.ts';
import { quantile } from './statistics.ts';
import { combine, minus, type Traffic } from './traffic.ts';

export const CONTESTANTS = ['lumenize', 'capnweb'] as const;
export type Contestant = (typeof CONTESTANTS)[number];

/** What one contestant did in its part of a round. */
export interface Block {
  readonly turns: number;
  readonly calls: number;
  readonly ms: number;
  /** How long one turn in twenty took longer than, in milliseconds. */
  readonly p95Ms: number;
  readonly traffic: Traffic;
}

/** A part for each contestant, one right after the other. */
export type Round = Readonly<Record<Contestant, Block>>;

/** Who races: a connection, and what its sockets have carried so far. */
export interface Lane {
  readonly stub: RaceStub;
  traffic(): Traffic;
}

/** How long a race is. */
export interface RaceOptions {
  readonly rounds: number;
  /** How long each contestant calls in a round, in milliseconds: short, so that what slows the machine slows both. */
  readonly blockMs: number;
  /** Told of each round when it is over; the next one waits for it. */
  readonly onRound: (round: Round) => unknown;
  readonly signal: AbortSignal;
}

/** Lets both call in turns, who begins changing with each round; a first round warms both up and is not told. */
export async function race(
  lanes: Readonly<Record<Contestant, Lane>>,
  scenario: Scenario,
  { rounds, blockMs, onRound, signal }: RaceOptions,
): Promise<void> {
  for (let number = 0; number <= rounds && !signal.aborted; number++) {
    const order = number % 2 === 0 ? CONTESTANTS : CONTESTANTS.toReversed();
    const blocks: Partial<Record<Contestant, Block>> = {};
    for (const name of order) blocks[name] = await runBlock(lanes[name], scenario, blockMs, signal);
    // What was cut short says nothing.
    if (number > 0 && !signal.aborted) await onRound(blocks as Round);
  }
}

async function runBlock(lane: Lane, scenario: Scenario, blockMs: number, signal: AbortSignal): Promise<Block> {
  const before = lane.traffic();
  const times: number[] = [];
  const start = performance.now();
  let now = start;
  do {
    await scenario.turn(lane.stub);
    const end = performance.now();
    times.push(end - now);
    now = end;
  } while (now - start < blockMs && !signal.aborted);
  return {
    turns: times.length,
    calls: times.length * scenario.calls,
    ms: now - start,
    p95Ms: quantile(times, 0.95),
    traffic: combine(lane.traffic(), before, minus),
  };
}
