// npm run tool -- contract-table [--report <file>]: runs all cases over everything, and writes docs/contract.md. A report of
// an earlier run can be given instead of running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installedVersion } from '@lumenize/hosts/installed';
import { CASES } from '../cases/all.ts';
import { documentOf } from './document.ts';
import { resultsOf } from './results.ts';
import { contractFiles } from './sources.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url).href);
const FILE = 'docs/contract.md';

const { values } = parseArgs({ options: { report: { type: 'string' } } });
const results = resultsOf(
  JSON.parse(values.report ? await readFile(values.report, 'utf8') : await run()),
  CASES.length,
);
await writeFile(join(PROJECT, FILE), documentOf(results, versions()));
process.stdout.write(`Wrote ${FILE}\n`);

async function run(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lumenize-contract-'));
  const report = join(folder, 'report.json');
  const vitest = join(PROJECT, 'node_modules/vitest/vitest.mjs');
  const options = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  // A rejection that nobody handles is a result as well.
  options.push('--dangerouslyIgnoreUnhandledErrors');
  try {
    const tests = spawn(process.execPath, [vitest, 'run', ...contractFiles(PROJECT), ...options], {
      cwd: PROJECT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, CONTRACT_TABLE: '1' },
    });
    await once(tests, 'close');
    return await readFile(report, 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}

function versions(): string {
  const [node] = process.versions.node.split('.');
  return `Node ${node}, workerd ${installedVersion('workerd')}, Cap'n Web ${installedVersion('capnweb')}.`;
}
