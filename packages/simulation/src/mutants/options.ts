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
    name: 'what-is-no-number-is-taken-for-a-time',
    file: 'packages/rpc/src/protocol/operation.ts',
    find: "typeof value === 'number' && value >= 0",
    replace: 'Number(value) !== -1',
  },
];
