import { runChild } from './child.ts';
import type { Mutant } from './mutant.ts';
import type { Unit } from './units.ts';

/** Options for searching for defects. */
export interface MutantsOptions {
  /** The total time of the search, in milliseconds. */
  readonly budgetMs: number;
  /** The number of processes that run at once. */
  readonly processes: number;
  readonly firstSeed: number;
  /** Called after each defect that was searched for. */
  readonly onProgress?: (found: number, total: number, doing: string) => void;
}

/** The result for a defect that was planted. */
export interface Result {
  readonly area: string;
  readonly mutant: Mutant;
  /** The number of programs and scenarios that were run. */
  runs: number;
  nextSeed: number;
  /** The unit that failed, and its fault; undefined if none failed. */
  found?: { readonly unit: Unit; readonly wrong: string };
}

/** The report of a search for all defects. */
export interface Report {
  readonly results: readonly Result[];
  /** The units that fail without a defect, as text. */
  readonly failsAnyway: ReadonlySet<string>;
  readonly ms: number;
}

/** The time to search for each defect before any is searched for longer, in milliseconds. */
const FIRST_MS = 4000;
/** The approximate time to start a process and load the library, in milliseconds. */
const STARTING_MS = 2500;
/** The shortest time for which it is worth starting a process, in milliseconds. */
const SHORTEST_MS = 1000;

/**
 * Plants defects one at a time, and runs scenarios and programs until one fails that does not fail without the defect.
 * Each defect gets a short time first. The remaining time is used for the defects that were not found, continuing from
 * the seeds they reached.
 */
export async function findMutants(
  mutants: Readonly<Record<string, readonly Mutant[]>>,
  { budgetMs, processes, firstSeed, onProgress }: MutantsOptions,
): Promise<Report> {
  const begun = performance.now();
  const end = begun + budgetMs;
  const results = Object.entries(mutants).flatMap(([area, all]) =>
    all.map((mutant): Result => ({ area, mutant, runs: 0, nextSeed: firstSeed })),
  );
  const failsAnyway = new Set<string>();
  let survivors = results;
  for (let round = 0; survivors.length > 0; round++) {
    const share = ((end - performance.now()) * processes) / survivors.length - STARTING_MS;
    // The last round uses the remaining time.
    const wanted = FIRST_MS * 2 ** round;
    const ms = share < 2 * wanted ? share : wanted;
    if (ms < SHORTEST_MS) break;
    await inParallel(processes, survivors, async (result) => {
      if (performance.now() + SHORTEST_MS + STARTING_MS > end) return;
      const hunt = await runChild({ mutant: result.mutant.name, firstSeed: result.nextSeed, ms });
      result.runs += hunt.runs;
      result.nextSeed = hunt.nextSeed;
      if (hunt.found !== undefined) result.found = hunt.found;
      for (const unit of hunt.failsAnyway) failsAnyway.add(JSON.stringify(unit));
      onProgress?.(results.filter(({ found }) => found !== undefined).length, results.length, result.mutant.name);
    });
    survivors = survivors.filter(({ found }) => found === undefined);
  }
  return { results, failsAnyway, ms: performance.now() - begun };
}

async function inParallel<T>(count: number, items: readonly T[], job: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await job(item);
  };
  await Promise.all(Array.from({ length: count }, work));
}
