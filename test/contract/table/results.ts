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
  testResults: { assertionResults: { fullName: string; status: string; meta: { contract?: ContractResult } }[] }[];
}

/**
 * Reads the results out of vitest's report.
 * @throws {Error} where a test was run that left none: then the table would not be whole
 */
export function resultsOf(report: Report): ContractResult[] {
  return report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ fullName, status, meta }) => {
      if (meta.contract === undefined) throw new Error(`no result but ${status}: ${fullName}`);
      return meta.contract;
    });
}
