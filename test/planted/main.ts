// npm run tool -- planted -- [--only <name>]… [--write]: plants defects, one at a time, and prints which test of `npm test` finds
// each. With --write, updates their rows in the table of docs/internals/chaos.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DEFECTS, type Defect } from './defects.ts';
import { rowStart, withRow } from './table.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TABLE = 'docs/internals/chaos.md';
/** The projects of `npm test`. */
const PROJECTS = ['node', 'workerd', 'types'].flatMap((name) => ['--project', name]);

/** The parts of vitest's report that are read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, write: { type: 'boolean' } } });
if (spawnSync('git', ['diff', '--quiet', '--', '.', `:!${TABLE}`], { cwd: ROOT }).status !== 0) {
  throw new Error('the tree has changes: defects are planted in its files, which are put back afterwards');
}

const directory = mkdtempSync(join(tmpdir(), 'planted-'));
let planted: (() => void) | undefined;
process.once('exit', () => {
  planted?.();
  rmSync(directory, { recursive: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

process.stdout.write('| area | defect | found by | seconds |\n| --- | --- | --- | --- |\n');
for (const defect of DEFECTS) {
  if (values.only !== undefined && !values.only.includes(defect.name)) continue;
  const begun = performance.now();
  plant(defect);
  // The tests that load the file run first, because they are most likely to find the defect.
  const found = failingTest('related', defect.file) ?? failingTest('run');
  const seconds = Math.round((performance.now() - begun) / 1000);
  planted!();
  planted = undefined;
  if (found !== undefined && failingTest('run', found.file))
    throw new Error(`${found.file} fails without a defect too`);
  const row = `${rowStart(defect)}${found ? `\`${found.file}\`: ${found.test}` : '**nothing**'} | ${seconds} |`;
  process.stdout.write(`${row}\n`);
  if (values.write) writeRow(defect, row);
  if (found === undefined) process.exitCode = 1;
}

function writeRow(defect: Defect, row: string): void {
  const path = join(ROOT, TABLE);
  writeFileSync(path, withRow(readFileSync(path, 'utf8'), DEFECTS, defect, row));
}

function plant({ file, find, replace }: Defect): void {
  const path = join(ROOT, file);
  const text = readFileSync(path, 'utf8');
  const pieces = text.split(find);
  if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} times: ${find}`);
  planted = () => writeFileSync(path, text);
  writeFileSync(path, pieces.join(replace));
}

interface Failed {
  readonly file: string;
  readonly test: string;
}

/** Runs tests until one fails, and returns it; undefined if all pass. */
function failingTest(...which: string[]): Failed | undefined {
  const outputFile = join(directory, 'report.json');
  rmSync(outputFile, { force: true });
  const args = [...which, '--run', '--bail', '1', ...PROJECTS, '--reporter', 'json', '--outputFile', outputFile];
  const { status, stderr } = spawnSync('vitest', args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, PLANTED: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return undefined;
  const report = JSON.parse(readFileSync(outputFile, 'utf8')) as Report;
  for (const { name, assertionResults, message } of report.testResults) {
    const file = name.slice(ROOT.length);
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed !== undefined) return { file, test: failed.fullName.replaceAll('|', '\\|') };
    if (message !== '') return { file, test: 'does not load' };
  }
  throw new Error(`the tests failed without a test that did:\n${stderr}`);
}
