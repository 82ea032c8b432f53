// npm run repeatability -- <file> <file>: whether two runs of the same commit say the same. Ends with 0 where they do, with
// 1 where not, and with 2 where they cannot be compared.
import { readFileSync } from 'node:fs';
import type { RecordedRun } from '../recorded/recorded-run.ts';
import { repeatability } from './repeatability.ts';
import { repeatabilityReport } from './words.ts';

const files = process.argv.slice(2);
if (files.length !== 2) fail('usage: npm run repeatability -- <file> <file>, two files of measurements/');
try {
  const [first, second] = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as RecordedRun);
  const found = repeatability(first, second);
  process.stdout.write(repeatabilityReport(found));
  process.exitCode = found.repeats ? 0 : 1;
} catch (error) {
  fail((error as Error).message);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
