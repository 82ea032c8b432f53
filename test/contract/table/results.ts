import type { CaseOutcome } from '../run-case.ts';

/** Where a set of cases ran and what became of one of them. */
export interface ContractResult extends CaseOutcome {
  readonly transport: string;
  readonly environment: string;
  readonly part: string;
  readonly case: string;
}

/** What of vitest's JSON report the table is made from. */
export interface Report {
  testResults: { assertionResults: { meta: { contract?: ContractResult } }[] }[];
}

/**
 * Reads the results out of vitest's report, which has other tests too.
 * @throws {Error} where a transport does not have just `count` of them: then the table would not be whole
 */
export function resultsOf(report: Report, count: number): ContractResult[] {
  const results = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ meta: { contract } }) => contract ?? []);
  const places = Map.groupBy(results, ({ transport, environment }) => `${transport} in ${environment}`);
  for (const [place, { length }] of places) {
    if (length !== count) throw new Error(`${length} instead of ${count} results over ${place}: is its name unique?`);
  }
  return results;
}
