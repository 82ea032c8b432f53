import { describe, inject, test } from 'vitest';
import { PROPERTIES } from './properties.ts';

const settings = inject('fuzz');
console.log(`Properties in Node: FUZZ_SEED=${settings.seed} FUZZ_RUNS=${settings.runs}`);

describe('in Node', () => {
  test.each(PROPERTIES)('$name', ({ check }) => check(settings), 60_000);
});
