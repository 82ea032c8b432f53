import { requireFits } from '../loading/sources.ts';
import { MUTANTS } from './all.ts';
import { printReport, showProgress } from './print.ts';
import { findMutants } from './run.ts';

/** Options for searching for the defects of the list. */
export interface MutantsCommand {
  readonly seed: number;
  readonly minutes: number;
  readonly processes: number;
  /** A prefix of the names, or of the parts of the library, of the defects to search for. */
  readonly only?: string | undefined;
}

/**
 * Plants all defects of the list, one at a time, and prints which are found. Resolves with whether enough were found.
 */
export async function mutantsCommand({ seed, minutes, processes, only = '' }: MutantsCommand): Promise<boolean> {
  const chosen = Object.entries(MUTANTS).map(([area, all]) => {
    return [area, all.filter(({ name }) => area.startsWith(only) || name.startsWith(only))] as const;
  });
  for (const [, all] of chosen) for (const mutant of all) requireFits(mutant);
  const progress = showProgress();
  const report = await findMutants(Object.fromEntries(chosen), {
    budgetMs: minutes * 60_000,
    processes,
    firstSeed: seed,
    onProgress: progress.update,
  });
  progress.stop();
  return printReport(report);
}
