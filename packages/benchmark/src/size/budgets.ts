import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { CONNECT, type Loaded, loadedByEntries } from '../families/size.ts';

/** The gzip size that something may have, and that it should have, in bytes. */
interface Budget {
  readonly limit: number;
  readonly target?: number;
}

/**
 * The size budgets, two to four per cent above the published sizes, so that a fix of a few bytes does not change them. Growing
 * code is a decision and not an accident, and shrinking code lowers its limit.
 */
export const BUDGETS: Readonly<Record<string, Budget>> = {
  [CONNECT]: { limit: 26_570, target: 16_000 },
  'all of client': { limit: 27_200 },
  'all of core': { limit: 27_340 },
  'all of server': { limit: 44_000 },
  'all of adapter': { limit: 27_000 },
  'all of observe': { limit: 4250 },
  'all of opentelemetry': { limit: 1550 },
  'all of memory': { limit: 37_000 },
  'all of http': { limit: 24_250 },
  'all of port': { limit: 38_100 },
  'all of socket': { limit: 37_820 },
  'all of binding': { limit: 27_800 },
  'serve a target': { limit: 42_900, target: 24_000 },
  'core alone': { limit: 16_550, target: 9000 },
  'what Cap’n Web has': { limit: 25_430, target: 12_000 },
  'encode and decode': { limit: 7090, target: 5500 },
  'all of codec': { limit: 7740 },
  'codec of the common types': { limit: 5160, target: 3200 },
  'own code of stores': { limit: 2860 },
  'own code of state': { limit: 3240 },
  'own code of state/server': { limit: 4480 },
  'own code of state/react': { limit: 4500 },
  'own code of state/presence': { limit: 1400 },
  'own code of state/presence/server': { limit: 2150 },
  'own code of state/uploads': { limit: 850 },
  'own code of state/uploads/server': { limit: 3250 },
  'own code of react': { limit: 360 },
  'own code of vue': { limit: 400 },
  'own code of svelte': { limit: 290 },
  'own code of solid': { limit: 400 },
  'own code of tanstack-query': { limit: 900 },
  'own code of inspect': { limit: 9710 },
  'own code of capnweb': { limit: 7460 },
};

/**
 * Bundles the built packages as pages and Workers load them, and returns the checks for size-limit.
 * @throws {Error} if a size has no budget, or a budget has no size
 */
export async function sizeChecks() {
  const loaded = await loadedByEntries('lumenize');
  const names = new Set(loaded.map(({ scenario }) => scenario));
  const unknown = [...names, ...Object.keys(BUDGETS)].filter((name) => !(names.has(name) && name in BUDGETS));
  if (unknown.length > 0) throw new Error(`set the budget of each in ${import.meta.filename}: ${unknown.join(', ')}`);
  const folder = join(ROOT, 'packages/benchmark/dist/bundles');
  await rm(folder, { recursive: true, force: true });
  return Promise.all(loaded.map((each) => check(each, join(folder, each.scenario.replace(/\W+/g, '-')))));
}

async function check({ scenario, file }: Loaded, folder: string) {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'index.js');
  await writeFile(path, file);
  const { limit, target } = BUDGETS[scenario];
  const name = target === undefined || limit <= target ? scenario : `${scenario} (to become ${target / 1000} kB)`;
  return { name, path: [path], limit: `${limit} B`, gzip: true };
}
