import { describe, expect, test } from 'vitest';
import { runScript } from './run-checks.ts';

describe('the simulated platform', async () => {
  const results = await runScript<Record<string, string | null>>('checks/platform.ts');
  test.each(Object.keys(results))('%s', (name) => {
    expect(results[name]).toBe(null);
  });
});
