// Fuzzes the codec. Usage: npm run tool -- fuzz [minutes, default 1] [--cases N] [--seed N] [--threads N]
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { report } from './report.ts';
import { VECTORS } from './vectors.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string' }, seed: { type: 'string' }, threads: { type: 'string' } },
});
const numberOf = (text: string | undefined): number | undefined => {
  if (text !== undefined && !(Number(text) >= 0)) throw new Error(`${text} is no number`);
  return text === undefined ? undefined : Number(text);
};

const seed = (numberOf(values.seed) ?? Math.random() * 2 ** 31) >>> 0;
const cases = numberOf(values.cases);
const minutes = numberOf(positionals[0]) ?? (cases === undefined ? 1 : undefined);
const threads = numberOf(values.threads) ?? Math.min(2, availableParallelism());
const start = performance.now();

console.log(`Fuzzing with seed ${seed} in ${threads} threads`);
const result = await runCampaign({
  seed,
  cases,
  threads,
  milliseconds: minutes === undefined ? undefined : minutes * 60_000,
  onProgress(done) {
    const perSecond = Math.round((done / (performance.now() - start)) * 1000);
    console.log(`${done.toLocaleString('en')} cases, ${perSecond.toLocaleString('en')} a second`);
  },
});
console.log(report(result));
if (result.findings.length > 0) {
  console.log(`Kept in ${relative(process.cwd(), VECTORS)}, which the tests try from now on.`);
  process.exitCode = 1;
}
