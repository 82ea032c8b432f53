import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { AT_ONCE, type Loaded, loadedByClient, loadedByEntries } from '../families/size.ts';

/** How many bytes something may take by gzip, and how many it should. */
interface Budget {
  readonly limit: number;
  /** The limit of what is bundled straight from the sources, which needs no build and is larger. */
  readonly ofSources?: number;
  readonly target?: number;
}

/**
 * One per cent above what each takes, as it is published, so that no mend of a few bytes has to move one: what becomes
 * larger is a decision, not an accident, and what becomes smaller lowers its limit.
 */
export const BUDGETS: Readonly<Record<string, Budget>> = {
  [AT_ONCE]: { limit: 19_800, ofSources: 23_300, target: 8000 },
  'when needed: answering': { limit: 14_350, ofSources: 14_650 },
  'when needed: beyond': { limit: 6260, ofSources: 6460 },
  'when needed: channels': { limit: 7500, ofSources: 7650 },
  'when needed: recorder': { limit: 5200, ofSources: 5300 },
  'when needed: recovery': { limit: 3280, ofSources: 3350 },
  'when needed: subscriptions': { limit: 4850, ofSources: 4950 },
  'all of client': { limit: 44_150 },
  'serve a target': { limit: 58_100, target: 10_000 },
  'all of server': { limit: 58_850 },
  'all of memory': { limit: 54_150 },
  'all of http': { limit: 44_650 },
  'all of port': { limit: 55_300 },
  'all of socket': { limit: 55_200 },
  'all of binding': { limit: 44_450 },
  'all of inspect': { limit: 12_700 },
  'all of observe': { limit: 3100 },
  'all of opentelemetry': { limit: 1300 },
  'all of react': { limit: 45_600 },
  'all of capnweb': { limit: 11_200 },
  'encode and decode': { limit: 9900, target: 5000 },
  'all of codec': { limit: 12_400 },
};

/**
 * Bundles what has been built for publishing, the ways that pages and Workers load it, and returns the checks of size-limit:
 * files whose sizes are added.
 * @throws {Error} where something has no budget, or a budget is of nothing
 */
export async function sizeChecks() {
  const loaded = [...(await loadedByClient('lumenize')), ...(await loadedByEntries('lumenize'))];
  const names = new Set(loaded.map(({ scenario }) => scenario));
  const unknown = [...names, ...Object.keys(BUDGETS)].filter((name) => !(names.has(name) && name in BUDGETS));
  if (unknown.length > 0) throw new Error(`set the budget of each in ${import.meta.filename}: ${unknown.join(', ')}`);
  const folder = join(ROOT, 'packages/benchmark/dist/bundles');
  await rm(folder, { recursive: true, force: true });
  return Promise.all(loaded.map((each) => check(each, join(folder, each.scenario.replace(/\W+/g, '-')))));
}

async function check({ scenario, files }: Loaded, folder: string) {
  await mkdir(folder, { recursive: true });
  const path = files.map((_file, index) => join(folder, `${index}.js`));
  await Promise.all(files.map((file, index) => writeFile(path[index], file)));
  const { limit, target } = BUDGETS[scenario];
  const name = target === undefined || limit <= target ? scenario : `${scenario} (to become ${target / 1000} kB)`;
  return { name, path, limit: `${limit} B`, gzip: true };
}
