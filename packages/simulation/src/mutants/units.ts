import fc from 'fast-check';
import type { Library } from '../loading/library.ts';
import type { Program } from '../programs/program.ts';
import { AREAS, SCENARIOS } from '../scenarios/all.ts';
import { runScenario } from '../scenarios/run-scenario.ts';
import { arbitraryPrograms, runOnce } from '../search.ts';
import { SIMULATED, simulated } from '../worlds.ts';

/** A unit to run that may reveal a defect: a scenario, or one of the random programs of a seed. */
export interface Unit {
  readonly seed: number;
  readonly scenario?: string;
  /** The index of the program among those of the seed. */
  readonly program?: number;
}

/** The number of random programs that are run of each seed. A search runs more. */
const PROGRAMS = 4;
/** The number of scenarios of other parts of the library that are run with each seed. */
const OTHERS = 3;

/** Returns all units of a seed for finding a defect in a part of the library. Units about that part come first. */
export function unitsOf(seed: number, area: string): Unit[] {
  const own = Object.keys(AREAS[area]).filter((name) => Object.hasOwn(SCENARIOS, name));
  const others = Object.keys(SCENARIOS).filter((name) => !own.includes(name));
  const some = Array.from({ length: OTHERS }, (_, place) => others[(seed * OTHERS + place) % others.length]);
  const programs = Array.from({ length: PROGRAMS }, (_, program): Unit => ({ seed, program }));
  return [...[...own, ...some].map((scenario): Unit => ({ seed, scenario })), ...programs];
}

/** Runs a unit. Returns everything that is wrong. */
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

/** Returns a description of a unit. */
export function nameOf({ seed, scenario, program }: Unit): string {
  return scenario === undefined ? `program ${program} of seed ${seed}` : `${scenario} of seed ${seed}`;
}
