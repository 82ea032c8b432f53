import { describe, inject, test } from 'vitest';
import { PROPERTIES } from '../../packages/structured-clone/test/properties.ts';

const settings = inject('fuzz');
console.log(`Properties in workerd: FUZZ_SEED=${settings.seed} FUZZ_RUNS=${settings.runs}`);

describe('in workerd', () => {
  test.each(PROPERTIES)('$name', ({ check }) => check(settings), 60_000);
});
