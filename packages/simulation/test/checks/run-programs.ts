import { arbitraryPrograms, searchSeed, type Totals } from '../../src/search.ts';
import { SIMULATED, simulated } from '../../src/worlds.ts';

/** What came of the programs that tests run. */
export interface RanPrograms {
  readonly programs: number;
  /** By program, what is wrong. */
  readonly wrong: Readonly<Record<string, readonly string[]>>;
}

/** Runs random programs of fixed seeds for as long as there is time. */
async function runPrograms(seeds: readonly number[], seconds: number): Promise<RanPrograms> {
  const wrong: Record<string, readonly string[]> = {};
  const totals: Totals = { programs: 0, calls: 0, faults: 0, scenarios: 0, coverage: {} };
  const end = performance.now() + seconds * 1000;
  const options = { ...SIMULATED, shortenMs: 0, arbitrary: arbitraryPrograms() };
  for (const seed of seeds) {
    const failure = await searchSeed(seed, simulated(), options, totals, () => performance.now() < end);
    if (failure) wrong[`seed ${seed}, path ${failure.path}`] = failure.wrong;
  }
  return { programs: totals.programs, wrong };
}

const [seconds, ...seeds] = process.argv.slice(2).map(Number);
process.stdout.write(JSON.stringify(await runPrograms(seeds, seconds)));
