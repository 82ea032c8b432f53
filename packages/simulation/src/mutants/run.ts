import { runChild } from './child.ts';
import type { Mutant } from './mutant.ts';
import type { Unit } from './units.ts';

/** Options for looking for defects. */
export interface MutantsOptions {
  /** Time that it may take in all, in milliseconds. */
  readonly budgetMs: number;
  /** Number of processes that run at a time. */
  readonly processes: number;
  readonly firstSeed: number;
  /** Told of each defect that has been looked for. */
  readonly onProgress?: (found: number, total: number, doing: string) => void;
}

/** Findings about a defect that was planted. */
export interface Result {
  readonly area: string;
  readonly mutant: Mutant;
  /** Programs and scenarios that were run. */
  runs: number;
  nextSeed: number;
  /** The unit that failed, and what was wrong with it; undefined where none did. */
  found?: { readonly unit: Unit; readonly wrong: string };
}

/** The report of looking for all defects. */
export interface Report {
  readonly results: readonly Result[];
  /** Units that fail without a defect, by their texts. */
  readonly failsAnyway: ReadonlySet<string>;
  readonly ms: number;
}

/** Time that each defect is looked for before any is looked for longer, in milliseconds. */
const FIRST_MS = 4000;
/** Time to begin a process and to load the library, about. */
const STARTING_MS = 2500;
/** Less than this is not worth to begin a process for. */
const SHORTEST_MS = 1000;

/**
 * Plants defects, one at a time, and runs scenarios and programs until one fails that does not fail without the defect: all
 * for a short time first, then those that were not found with what time is left, from the seed on that they came to.
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
    // The last round takes what is left.
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
