import { connect } from '@lumenize/rpc';
import { CASES } from '../contract/cases/all.ts';
import { type CaseOutcome, runCase } from '../contract/run-case.ts';

/** Runs a case in the page, over a socket to a URL. */
export type ContractInPage = (part: string, name: string, url: string) => Promise<CaseOutcome>;

// The script of a page: the same cases as everywhere, to be asked for by name.
(globalThis as { runContractCase?: ContractInPage }).runContractCase = (part, name, url) => {
  const which = CASES.find((each) => each.part === part && each.name === name)!;
  let connections = 0;
  return runCase(which, (options) => connect<object>(`${url}-${++connections}`, options));
};
