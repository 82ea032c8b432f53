import { connect } from '@lumenize/rpc';
import type { Case } from '../contract/case.ts';
import { CASES } from '../contract/cases/all.ts';
import { type CaseOutcome, runCase } from '../contract/run-case.ts';
import type { RuntimeResult } from '../runtimes/runtimes.ts';

/** Runs a case in the page, over a socket to a URL. */
export type ContractInPage = (part: string, name: string, url: string) => Promise<CaseOutcome>;

// The script of a page: the same cases as everywhere, to be asked for by name.
const runContractCase: ContractInPage = (part, name, url) =>
  run(CASES.find((each) => each.part === part && each.name === name)!, url);

/** Runs the cases of some parts over sockets to the Worker of `origin`. */
export async function runContractParts(origin: string, parts: readonly string[]): Promise<RuntimeResult[]> {
  const results: RuntimeResult[] = [];
  const names = `${origin.replace('http', 'ws')}/rpc/contract/${crypto.randomUUID()}`;
  for (const each of CASES.filter(({ part }) => parts.includes(part))) {
    results.push({ part: each.part, case: each.name, ...(await run(each, `${names}-${results.length}`)) });
  }
  return results;
}

function run(which: Case, url: string): Promise<CaseOutcome> {
  let connections = 0;
  return runCase(which, (options) => connect<object>(`${url}-${++connections}`, options));
}

Object.assign(globalThis, { runContractCase, runContractParts });
