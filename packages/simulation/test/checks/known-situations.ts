import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { KNOWN_SITUATIONS, type KnownSituation } from '../../src/programs/known.ts';
import type { Program } from '../../src/programs/program.ts';
import { arbitraryPrograms, runOnce } from '../../src/search.ts';
import { SIMULATED, simulated } from '../../src/worlds.ts';

// Runs a program of each situation that is known to fail, and prints what the model says. With the number of a
// situation in the list, looks for a program that fails as it says: `node … known-situations.ts 3`.

const KEPT = new URL('../../programs/known/', import.meta.url);
/** The most programs of a seed to look at, and the most seeds. */
const MOST = 400;
const MOST_SEEDS = 10;

const [wanted] = process.argv.slice(2).map(Number);
if (wanted === undefined) {
  const wrong: (readonly string[])[] = [];
  for (const situation of KNOWN_SITUATIONS) {
    wrong.push((await runOnce(await exampleOf(situation), simulated(), SIMULATED)).wrong);
  }
  process.stdout.write(JSON.stringify(wrong));
} else await find();

async function exampleOf({ row, example }: KnownSituation): Promise<Program> {
  if ('program' in example) return JSON.parse(await readFile(new URL(`${example.program}.json`, KEPT), 'utf8'));
  const { seed, place } = example;
  return fc.sample(arbitraryPrograms({ known: [row] }), { seed, numRuns: place + 1 })[place];
}

async function find(): Promise<void> {
  const { row, says } = KNOWN_SITUATIONS[wanted];
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    for (const [place, program] of fc.sample(arbitraryPrograms({ known: [row] }), { seed, numRuns: MOST }).entries()) {
      const found = (await runOnce(program, simulated(), SIMULATED)).wrong.find((each) => says.test(each));
      if (found !== undefined) return console.log(`${row}: seed ${seed}, place ${place}: ${found}`);
    }
  }
}
