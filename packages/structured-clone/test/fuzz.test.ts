import { inject, test } from 'vitest';
import { runCampaign } from './fuzz/campaign.ts';
import { report } from './fuzz/report.ts';

const { seed, cases } = inject('fuzz');

test('damaged encodings are refused, or read as values like any other', { timeout: 300_000 }, async () => {
  console.log(`Fuzzing: FUZZ_SEED=${seed} FUZZ_CASES=${cases}`);
  const result = await runCampaign({ seed, cases });
  const summary = report(result);
  console.log(summary);
  if (result.findings.length > 0) throw new Error(summary);
});
