import type { Mutant } from './mutant.ts';

/** Defects in what options are taken for. */
export const OPTIONS: readonly Mutant[] = [
  {
    name: 'options-of-clients-are-whatever-they-are',
    file: 'packages/rpc/src/client/options.ts',
    find: 'if (/^max|Ms$/.test(name) && !isTimeout(value)) throw',
    replace: 'if (name === undefined) throw',
  },
  {
    name: 'rates-are-whatever-they-are',
    file: 'packages/rpc/src/server/limits/rates.ts',
    find: 'if (operationsPerSecond > 0 && burst >= 1) return;',
    replace: 'if (burst !== undefined) return;',
  },
];
