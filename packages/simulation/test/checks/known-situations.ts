import fc from 'fast-check';
import { KNOWN_SITUATIONS, type KnownSituation } from '../../src/programs/known.ts';
import { arbitraryPrograms, runOnce } from '../../src/search.ts';
import { SIMULATED, simulated } from '../../src/worlds.ts';

// Runs a program of each situation that is known to fail, and prints what the model says. With the number of a row and
// of a seed, looks for a program that fails as its situation says: `node … known-situations.ts 26 1`.

/** The most programs of a seed to look at. */
const MOST = 400;

const [row, seed] = process.argv.slice(2).map(Number);
if (row === undefined) {
  const wrong: Record<string, readonly string[]> = {};
  for (const each of KNOWN_SITUATIONS) wrong[each.row] = await run(each, each.seed, each.place);
  process.stdout.write(JSON.stringify(wrong));
} else {
  const situation = KNOWN_SITUATIONS.find((each) => each.row === row)!;
  for (let place = 0; place < MOST; place++) {
    const found = (await run(situation, seed, place)).filter((each) => situation.says.test(each));
    if (found.length === 0) continue;
    console.log(`seed: ${seed}, place: ${place}: ${found[0]}`);
    break;
  }
}

async function run({ row }: KnownSituation, seed: number, place: number): Promise<readonly string[]> {
  const drawn = fc.sample(arbitraryPrograms({ known: [row] }), { seed, numRuns: place + 1 });
  return (await runOnce(drawn[place], simulated(), SIMULATED)).wrong;
}
