import type { ConnectContract } from './library.ts';
import { registerCases } from './register.ts';
import { type ContractOptions, runCase } from './run-case.ts';
import { IN_WORKERD } from './runtime.ts';

export type { ConnectContract } from './library.ts';
export type { ContractOptions } from './run-case.ts';

/**
 * Registers the cases of the contract with vitest, over one transport: `connect` connects to a fresh `ContractTarget`
 * each time. What the transport lacks goes into `options.lacks`, each with the reason. Every call of this, wherever it
 * is, is a column of docs/contract.md.
 */
export function contract(transport: string, connect: ConnectContract, options: ContractOptions = {}): void {
  const environment = options.environment ?? (IN_WORKERD ? 'workerd' : 'Node');
  registerCases({ transport, environment }, (which) => runCase(which, connect, options));
}
