import { describe, expect, test } from 'vitest';
import { runCampaign } from '../../../packages/structured-clone/test/fuzz/campaign.ts';
import type { Defect } from '../../../packages/structured-clone/test/fuzz/codec.ts';
import type { FailureKind } from '../../../packages/structured-clone/test/fuzz/judge.ts';

describe('the fuzzer notices a codec that', { timeout: 180_000 }, () => {
  test.each<[defect: Defect, kind: FailureKind]>([
    ['throws', 'throws'],
    ['allocates', 'allocates'],
    ['pollutes', 'changes a prototype'],
    ['forgets', 'changes when sent on'],
    ['hangs', 'hangs'],
    ['dies', 'throws'],
  ])('%s', async (defect, kind) => {
    // Only what hangs is waited for: all else has the time that a machine may take for a case.
    const limits = defect === 'hangs' ? { hangMs: 1000, aloneMs: 2000 } : { hangMs: 10_000 };
    const { findings } = await runCampaign({ seed: 1, cases: 300, defect, minimiseMs: 300, ...limits });
    expect(findings.map(({ failure }) => failure.kind)).toContain(kind);
    // The defects are in what reads this word.
    for (const { smallest } of findings) expect(smallest).toMatchObject({ input: expect.stringContaining('true') });
  });
});
