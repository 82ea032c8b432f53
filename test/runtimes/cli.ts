// npm run tool -- runtimes: runs the contract in every runtime that can be had here, and writes docs/internals/runtimes.md.
// With --install it only puts into npm's cache what npm has of them, for the tests, which download nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASES, PARTS } from '../contract/cases/all.ts';
import { withPart } from '../support/generated-part.ts';
import { serveTestWorker } from '../support/workerd.ts';
import { surprises } from './known.ts';
import { RUNTIMES } from './runtimes.ts';
import { runtimesTable, type TriedRuntime } from './table.ts';

const FILE = 'docs/internals/runtimes.md';

const { values } = parseArgs({ options: { install: { type: 'boolean', default: false } } });
const missing = new Map<string, string>();
for (const { name, missing: look } of RUNTIMES) {
  const reason = await look(true);
  if (reason !== undefined) missing.set(name, reason);
}
for (const [name, reason] of missing) process.stdout.write(`${name}: ${reason}\n`);
if (!values.install) await writeTable();

async function writeTable(): Promise<void> {
  // A table with holes would say less than the one that is there.
  if (missing.size > 0) throw new Error('some runtimes are missing');
  await using worker = await serveTestWorker();
  const tried: TriedRuntime[] = [];
  for (const { name, run } of RUNTIMES) {
    const done = await run(`http://127.0.0.1:${worker.port}`, PARTS);
    if (done.results.length !== CASES.length)
      throw new Error(`${name} ran ${done.results.length} of ${CASES.length} cases`);
    tried.push({ name, ...done });
    const holding = done.results.filter(({ status }) => status === 'holds').length;
    process.stdout.write(`${name} ${done.version}: ${holding} of ${done.results.length}\n`);
    for (const each of surprises(name, done.results)) {
      process.exitCode = 1;
      process.stdout.write(`  not as known: ${each.part}: ${each.case}: ${each.reason ?? each.status}\n`);
    }
  }
  const file = fileURLToPath(new URL(`../../${FILE}`, import.meta.url).href);
  await writeFile(file, withPart(await readFile(file, 'utf8'), 'runtimes', runtimesTable(tried)));
  process.stdout.write(`Wrote ${FILE}\n`);
}
