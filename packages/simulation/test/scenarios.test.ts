import { expect, it } from 'vitest';
import { runScript } from './run-checks.ts';

it('comes to what is known to come of each scenario', async () => {
  const wrong = await runScript<Record<string, string[]>>('checks/play-scenarios.ts', '1');
  expect(Object.keys(wrong).length).toBeGreaterThan(25);
  expect(Object.fromEntries(Object.entries(wrong).filter(([, each]) => each.length > 0))).toEqual({});
});
