import fc from 'fast-check';
import type { Program } from '../programs/program.ts';
import { runOnce } from '../search.ts';
import type { WorkerdHost } from '../workerd/workerd-host.ts';
import { inWorkerd, REAL, SIMULATED, simulated } from '../worlds.ts';
import { determinedPrograms } from './determined.ts';
import { differences, outcomeOf } from './outcome.ts';

/** A program with a different outcome in workerd, and the differences. */
export interface Difference {
  readonly place: number;
  readonly program: Program;
  readonly differs: readonly string[];
}

/** Runs a program in both worlds, and returns the differences. */
export async function compare(program: Program, host: WorkerdHost): Promise<string[]> {
  const here = await runOnce(program, simulated(), { ...SIMULATED, oneByOne: true });
  const there = await runOnce(program, inWorkerd(host), { ...REAL, oneByOne: true });
  if (here.run === undefined || there.run === undefined) return [...here.wrong, ...there.wrong];
  const differs = differences(outcomeOf(here.run), outcomeOf(there.run));
  // Errors that occur in both worlds are left to the search.
  const wrong = there.wrong.filter((each) => !here.wrong.includes(each));
  return [...differs, ...wrong.map((each) => `wrong in workerd: ${each}`)];
}

/** Compares programs of a seed, one after the other. */
export async function compareMany(
  seed: number,
  count: number,
  host: WorkerdHost,
  progress: (place: number) => void,
): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const [place, program] of fc.sample(determinedPrograms(), { seed, numRuns: count }).entries()) {
    const differs = await compare(program, host);
    if (differs.length > 0) found.push({ place, program, differs });
    progress(place + 1);
  }
  return found;
}
