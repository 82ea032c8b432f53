import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { compareCommand } from './cli/compare-command.ts';
import { plantedLibrary } from './cli/planted.ts';
import { searchCommand } from './cli/search-command.ts';
import { type SearchOrder, search } from './cli/search-worker.ts';
import { showProgram } from './cli/show.ts';
import { mutantsCommand } from './mutants/command.ts';
import type { Program } from './programs/program.ts';
import { runScenario } from './scenarios/run-scenario.ts';
import { arbitraryPrograms, runOnce } from './search.ts';
import { SIMULATED, simulated } from './worlds.ts';

// `npm run tool -- simulate --seed 7 --minutes 10`: runs random programs on a simulated platform.

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    minutes: { type: 'string' },
    workers: { type: 'string', default: '2' },
    /** Runs the program in this file, and prints what happened. */
    program: { type: 'string' },
    trace: { type: 'boolean', default: false },
    /** Runs one program this many times, and compares the traces. */
    repeat: { type: 'string' },
    /** Searches for this many seconds and prints the outcome as JSON. A defect is planted if one is named. */
    until: { type: 'string' },
    mutant: { type: 'string' },
    /** Runs programs here and in workerd, and reports the differences. */
    'against-workerd': { type: 'boolean', default: false },
    programs: { type: 'string', default: '500' },
    child: { type: 'string' },
    /** Runs the scenario of this name. */
    scenario: { type: 'string' },
    /** Plants all defects of the list, one at a time, and reports which are found. */
    mutants: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const seed = Number(values.seed);
const processes = Number(values.workers);

if (values.child !== undefined) {
  const order = JSON.parse(values.child) as SearchOrder;
  await search(order, (news) => process.stdout.write(`${JSON.stringify(news)}\n`));
} else if (values.program !== undefined) {
  const program = JSON.parse(await readFile(values.program, 'utf8')) as Program;
  process.exitCode = (await showProgram(program, values.trace)) ? 0 : 1;
} else if (values.scenario !== undefined) {
  const wrong = await runScenario(values.scenario, seed, await plantedLibrary(values.mutant));
  for (const each of wrong) console.log(each);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} else if (values['against-workerd']) {
  process.exitCode = (await compareCommand(seed, Number(values.programs))) ? 0 : 1;
} else if (values.repeat !== undefined) await repeat(Number(values.repeat));
else if (values.until !== undefined) await searchUntil(Number(values.until));
else if (values.mutants) {
  const minutes = Number(values.minutes ?? 10);
  process.exitCode = (await mutantsCommand({ seed, minutes, processes, only: values.only })) ? 0 : 1;
} else process.exitCode = (await searchCommand(seed, Number(values.minutes ?? 1) * 60, processes)) ? 0 : 1;

/** Runs a program of the seed `times` times. */
async function repeat(times: number): Promise<void> {
  const [program] = fc.sample(arbitraryPrograms(), { seed, numRuns: 1 });
  const hashes = new Set<string | undefined>();
  for (let time = 0; time < times; time++) {
    hashes.add((await runOnce(program, simulated(), SIMULATED)).traceHash);
    if (hashes.size > 1) break;
  }
  console.log(`${times} runs of a program of seed ${seed}: ${[...hashes].join(' ')}`);
  process.exitCode = hashes.size === 1 ? 0 : 1;
}

async function searchUntil(seconds: number): Promise<void> {
  const begun = performance.now();
  let programs = 0;
  const failure = await search({ seed, step: 1, seconds, shortenMs: 0, mutant: values.mutant }, ({ totals }) => {
    programs = totals.programs;
  });
  const ms = Math.round(performance.now() - begun);
  const { seed: at, wrong } = failure ?? {};
  process.stdout.write(`${JSON.stringify({ failed: failure !== undefined, seed: at, programs, why: wrong, ms })}\n`);
}
