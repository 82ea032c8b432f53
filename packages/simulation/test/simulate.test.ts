import { describe, expect, test } from 'vitest';
import type { RanPrograms } from './checks/run-programs.ts';
import { runScript } from './run-checks.ts';

/** For random programs, beside those that are kept: so that the whole takes less than 20 s. */
const SECONDS = '6';

describe('random programs', () => {
  test('come to what the library promises, as do those that have failed once', async () => {
    const { programs, wrong } = await runScript<RanPrograms>('checks/run-programs.ts', SECONDS, '1', '2', '3');
    expect(wrong).toEqual({});
    expect(programs).toBeGreaterThan(10);
  });
});
