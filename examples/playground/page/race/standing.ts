import { type Block, CONTESTANTS, type Contestant, type Round } from './race.ts';
import { median } from './statistics.ts';
import { combine, NO_TRAFFIC, plus, type Traffic } from './traffic.ts';

/** How one contestant did, over all rounds so far. */
export interface Result {
  /** Medians of the rounds. */
  readonly callsPerSecond: number;
  readonly turnMs: number;
  readonly p95Ms: number;
  /** What a turn took on the wire, on average: replies of several turns never share frames here. */
  readonly perTurn: Traffic;
}

/** How a race stands. */
export interface Standing {
  readonly rounds: number;
  readonly results: Readonly<Record<Contestant, Result>>;
  /** How many times as many calls a second the first contestant made as the second: the median of the rounds, and the least and most of them. */
  readonly ratio: { readonly median: number; readonly least: number; readonly most: number };
}

export const callsPerSecond = ({ calls, ms }: Block): number => (calls / ms) * 1000;
export const turnMs = ({ turns, ms }: Block): number => ms / turns;

/** Says how a race stands after some rounds; undefined before the first. */
export function standingOf(rounds: readonly Round[]): Standing | undefined {
  if (rounds.length === 0) return undefined;
  const results = Object.fromEntries(CONTESTANTS.map((name) => [name, resultOf(rounds.map((round) => round[name]))]));
  const ratios = rounds.map(({ lumenize, capnweb }) => callsPerSecond(lumenize) / callsPerSecond(capnweb));
  return {
    rounds: rounds.length,
    results: results as Standing['results'],
    ratio: { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) },
  };
}

function resultOf(blocks: readonly Block[]): Result {
  const turns = blocks.reduce((sum, block) => sum + block.turns, 0);
  const traffic = blocks.reduce((sum, block) => combine(sum, block.traffic, plus), NO_TRAFFIC);
  return {
    callsPerSecond: median(blocks.map(callsPerSecond)),
    turnMs: median(blocks.map(turnMs)),
    p95Ms: median(blocks.map(({ p95Ms }) => p95Ms)),
    perTurn: combine(traffic, traffic, (count) => count / turns),
  };
}
