import { incrementInOneTurn } from './one-turn.ts';
import type { Scenario } from './scenario.ts';
import { incrementSequential } from './sequential.ts';

const FAMILY = 'feature-cost';

/** `calls` increments, each begun when the one before it has been answered. */
export function featureOneAtATime(name: string, calls: number): Scenario {
  return { ...incrementSequential(name, calls), family: FAMILY };
}

/** `calls` increments begun in one turn, `turns` times; a sample is a turn. */
export function featureInOneTurn(name: string, calls: number, turns: number): Scenario {
  return { ...incrementInOneTurn(name, calls, turns), family: FAMILY };
}
