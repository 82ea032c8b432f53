import { plantedLibrary } from '../cli/planted.ts';
import { MUTANTS } from './all.ts';
import type { Hunt, Task } from './child.ts';
import { runUnit, type Unit, unitsOf } from './units.ts';
import { watch } from './watchdog.ts';

// A process that searches for one defect: see `child.ts`.

const { mutant, firstSeed, ms } = JSON.parse(process.argv[2]) as Task;
/** Returns processor time, so that other load on the machine does not shorten the search. */
const spent = () => process.cpuUsage().user / 1000;

const area = Object.keys(MUTANTS).find((each) => MUTANTS[each].some(({ name }) => name === mutant))!;
const library = await plantedLibrary(mutant);
const end = spent() + ms;
const begins = watch();
const failsAnyway: Unit[] = [];
let found: Hunt['found'];
let runs = 0;
let seed = firstSeed;

search: for (; spent() < end; seed++) {
  for (const unit of unitsOf(seed, area)) {
    begins();
    console.log(JSON.stringify(unit));
    const wrong = await runUnit(unit, library);
    runs++;
    if (wrong.length > 0) {
      begins();
      if ((await runUnit(unit)).length === 0) {
        found = { unit, wrong: wrong[0] };
        break search;
      }
      failsAnyway.push(unit);
    }
    if (spent() >= end) break;
  }
}
console.log(JSON.stringify({ nextSeed: seed, runs, ...(found && { found }), failsAnyway } satisfies Hunt));
process.exit();
