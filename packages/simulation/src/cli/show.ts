import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeRun } from '../describe.ts';
import type { Program } from '../programs/program.ts';
import { type Failure, type Outcome, runOnce } from '../search.ts';
import type { SimulatedWorld } from '../simulated-world.ts';
import { SIMULATED, simulated } from '../worlds.ts';
import type { ScenarioFailure } from './search-worker.ts';

/** Writes a program to a file from which it can be run again. Returns the path of the file. */
export async function keepProgram(program: Program): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'lumenize-program-')), 'program.json');
  await writeFile(file, `${JSON.stringify(program, undefined, 1)}\n`);
  return file;
}

/** Prints a failing program and what it did, and writes it to a file from which it can be run again. */
export async function showFailure(failure: Failure | ScenarioFailure): Promise<void> {
  if ('scenario' in failure) {
    console.log(`\nseed ${failure.seed}: the scenario ${failure.scenario} failed`);
    for (const each of failure.wrong) console.log(`  ${each}`);
    return console.log(`again: npm run tool -- simulate --scenario ${failure.scenario} --seed ${failure.seed}`);
  }
  const { seed, path, program, wrong } = failure;
  const file = await keepProgram(program);
  console.log(`\nseed ${seed}, path ${path}: a program failed, which is in ${file}`);
  for (const each of wrong) console.log(`  ${each}`);
  console.log(`again: npm run tool -- simulate --program ${file}`);
}

/** Runs a program, and prints everything that happened. Resolves with true if nothing was wrong. */
export async function showProgram(program: Program, withTrace: boolean): Promise<boolean> {
  let trace: readonly string[] = [];
  const outcome: Outcome = await runOnce(
    program,
    async (given) => {
      const world = (await simulated()(given)) as SimulatedWorld;
      trace = world.trace;
      return world;
    },
    SIMULATED,
  );
  if (withTrace) console.log(trace.join('\n'));
  console.log(describeRun(program, outcome.run, outcome.wrong));
  console.log(`trace: ${outcome.traceHash}`);
  return outcome.wrong.length === 0;
}
