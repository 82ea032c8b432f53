import { describe, expect, test } from 'vitest';
import type { CaseOutcome } from '../../../test/contract/run-case.ts';
import { runScript } from './run-checks.ts';

// The same over HTTP and sockets that do not hibernate: `node … checks/contract.ts contract http`, `… accepted`.
describe('over the simulated network the contract holds', async () => {
  const outcomes = await runScript<Record<string, CaseOutcome>>('checks/contract.ts');
  test.each(Object.keys(outcomes))('%s', (name) => {
    expect(outcomes[name]).toEqual({ status: 'holds' });
  });
  test('with no case left out but those of large values', () => {
    expect(Object.keys(outcomes).length).toBeGreaterThan(250);
  });
});
