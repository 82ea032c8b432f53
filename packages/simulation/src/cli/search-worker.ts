import { arbitraryPrograms, type Failure, searchSeed, type Totals } from '../search.ts';
import { SIMULATED, simulated } from '../worlds.ts';
import { plantedLibrary } from './planted.ts';

/** What a searching process is told by its arguments. */
export interface SearchOrder {
  readonly seed: number;
  /** How far apart its seeds are: that of how many processes there are. */
  readonly step: number;
  readonly seconds: number;
  readonly shortenMs: number;
  readonly mutant?: string;
}

/** What it prints, a line each. */
export type SearchNews = { readonly totals: Totals } | { readonly failure: Failure; readonly totals: Totals };

/** Runs programs seed by seed, until one fails or the time is over. */
export async function search(order: SearchOrder, tell: (news: SearchNews) => void): Promise<Failure | undefined> {
  const open = simulated(await plantedLibrary(order.mutant));
  const end = performance.now() + order.seconds * 1000;
  const totals: Totals = { programs: 0, calls: 0, faults: 0, coverage: {} };
  const options = { ...SIMULATED, shortenMs: order.shortenMs, arbitrary: arbitraryPrograms() };
  const goesOn = () => performance.now() < end;
  for (let seed = order.seed; goesOn(); seed += order.step) {
    const failure = await searchSeed(seed, open, options, totals, goesOn);
    if (failure !== undefined) {
      tell({ failure, totals });
      return failure;
    }
    tell({ totals });
  }
  return undefined;
}
