import fc from 'fast-check';
import type { Library } from '../loading/library.ts';
import type { Program } from '../programs/program.ts';
import { AREAS, SCENARIOS } from '../scenarios/all.ts';
import { runScenario } from '../scenarios/run-scenario.ts';
import { arbitraryPrograms, runOnce } from '../search.ts';
import { SIMULATED, simulated } from '../worlds.ts';

/** Something to run by which a defect may be noticed: a scenario, or one of the random programs of a seed. */
export interface Unit {
  readonly seed: number;
  readonly scenario?: string;
  /** The how-manieth program of the seed. */
  readonly program?: number;
}

/** Random programs of a seed that are run, of those that a search runs. */
const PROGRAMS = 4;
/** Scenarios of other parts of the library that are run with each seed. */
const OTHERS = 3;

/** All that is run with a seed to find a defect in a part of the library: what is about that part comes first. */
export function unitsOf(seed: number, area: string): Unit[] {
  const own = Object.keys(AREAS[area]);
  const others = Object.keys(SCENARIOS).filter((name) => !own.includes(name));
  const some = Array.from({ length: OTHERS }, (_, place) => others[(seed * OTHERS + place) % others.length]);
  const programs = Array.from({ length: PROGRAMS }, (_, program): Unit => ({ seed, program }));
  return [...[...own, ...some].map((scenario): Unit => ({ seed, scenario })), ...programs];
}

/** Runs one; returns what is wrong. */
export async function runUnit({ seed, scenario, program = 0 }: Unit, library?: Library): Promise<readonly string[]> {
  if (scenario !== undefined) return runScenario(scenario, seed, library);
  const { wrong } = await runOnce(programsOf(seed)[program], simulated(library), SIMULATED);
  return wrong;
}

let drawn: { seed: number; programs: readonly Program[] } | undefined;

function programsOf(seed: number): readonly Program[] {
  if (drawn?.seed !== seed) drawn = { seed, programs: fc.sample(arbitraryPrograms(), { seed, numRuns: PROGRAMS }) };
  return drawn.programs;
}

/** Says in words which one it is. */
export function nameOf({ seed, scenario, program }: Unit): string {
  return scenario === undefined ? `program ${program} of seed ${seed}` : `${scenario} of seed ${seed}`;
}
