import { describe, expect, test } from 'vitest';
import type { RanPrograms } from './checks/run-programs.ts';
import { runScript } from './run-checks.ts';

/** For random programs: so that the whole takes less than 20 s. */
const SECONDS = '6';

describe('random programs', () => {
  test('come to what the library promises', async () => {
    const { programs, wrong } = await runScript<RanPrograms>('checks/run-programs.ts', SECONDS, '1', '2', '3');
    expect(wrong).toEqual({});
    expect(programs).toBeGreaterThan(10);
  });
});
