import type { CampaignResult, Finding } from './campaign.ts';
import { keepVector } from './vectors.ts';

/** Says how a campaign went, and keeps every failure as a vector. */
export function report({ cases, milliseconds, findings }: CampaignResult): string {
  const perSecond = Math.round((cases / milliseconds) * 1000);
  const summary = `${cases.toLocaleString('en')} cases in ${(milliseconds / 1000).toFixed(1)} s, ${perSecond.toLocaleString('en')} a second`;
  if (findings.length === 0) return `${summary}: nothing failed`;
  return [`${summary}: ${findings.length} failures`, ...findings.map(describeFinding)].join('\n');
}

function describeFinding({ failure, smallest, seed, number, times }: Finding): string {
  const file = keepVector(smallest, failure, seed, number);
  const input = smallest.form === 'text' ? smallest.input : Buffer.from(smallest.input).toString('hex');
  return `  ${failure.kind}, ${times} times, first as case ${number} of seed ${seed}, kept as ${file}
    ${failure.message}
    ${smallest.form}, ${smallest.mode}: ${input.length > 500 ? `${input.slice(0, 500)}…` : input}`;
}
