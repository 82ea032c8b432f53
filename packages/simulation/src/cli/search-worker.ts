import type { Library } from '../loading/library.ts';
import { SCENARIOS } from '../scenarios/all.ts';
import { runScenario } from '../scenarios/run-scenario.ts';
import { arbitraryPrograms, type Failure, searchSeed, type Totals } from '../search.ts';
import { SIMULATED, simulated } from '../worlds.ts';
import { plantedLibrary } from './planted.ts';

/** The arguments of a searching process. */
export interface SearchOrder {
  readonly seed: number;
  /** The distance between its seeds, which is the number of processes. */
  readonly step: number;
  readonly seconds: number;
  readonly shortenMs: number;
  readonly mutant?: string | undefined;
}

/** A scenario that failed. */
export interface ScenarioFailure {
  readonly seed: number;
  readonly scenario: string;
  readonly wrong: readonly string[];
}

/** A message that the process prints on a line. */
export type SearchNews =
  | { readonly totals: Totals }
  | { readonly failure: Failure | ScenarioFailure; readonly totals: Totals };

/** Runs programs and scenarios seed by seed, until one fails or the time is over. */
export async function search(
  order: SearchOrder,
  tell: (news: SearchNews) => void,
): Promise<Failure | ScenarioFailure | undefined> {
  const library = await plantedLibrary(order.mutant);
  const open = simulated(library);
  const end = performance.now() + order.seconds * 1000;
  const totals: Totals = { programs: 0, scenarios: 0, calls: 0, faults: 0, coverage: {} };
  const options = {
    ...SIMULATED,
    shortenMs: order.shortenMs,
    arbitrary: arbitraryPrograms(),
  };
  const goesOn = () => performance.now() < end;
  for (let seed = order.seed; goesOn(); seed += order.step) {
    const failure =
      (await playScenarios(seed, library, totals, goesOn)) ?? (await searchSeed(seed, open, options, totals, goesOn));
    if (failure !== undefined) {
      tell({ failure, totals });
      return failure;
    }
    tell({ totals });
  }
  return undefined;
}

async function playScenarios(
  seed: number,
  library: Library | undefined,
  totals: Totals,
  goesOn: () => boolean,
): Promise<ScenarioFailure | undefined> {
  for (const scenario of Object.keys(SCENARIOS)) {
    if (!goesOn()) return undefined;
    const wrong = await runScenario(scenario, seed, library);
    totals.scenarios++;
    if (wrong.length > 0) return { seed, scenario, wrong };
  }
  return undefined;
}
