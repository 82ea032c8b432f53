import type { Mutant } from './mutant.ts';

/** Defects in what options are taken for. */
export const OPTIONS: readonly Mutant[] = [
  {
    name: 'options-are-whatever-they-are',
    file: 'packages/rpc/src/session/check-options.ts',
    find: 'if (value === undefined || !names.test(name)) continue;',
    replace: 'continue;',
  },
  {
    name: 'what-is-no-number-is-taken-for-one',
    file: 'packages/rpc/src/session/check-options.ts',
    find: ' || Number.isNaN(value)',
    replace: '',
  },
];
