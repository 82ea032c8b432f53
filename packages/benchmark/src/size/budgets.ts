import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { CONNECT, type Loaded, loadedByEntries } from '../families/size.ts';

/** The gzip size that something may have, and that it should have, in bytes. */
interface Budget {
  readonly limit: number;
  /** The limit for a bundle of the sources, which needs no build and is larger. */
  readonly ofSources?: number;
  readonly target?: number;
}

/**
 * The size budgets, one per cent above the published sizes, so that a fix of a few bytes does not change them. Growing
 * code is a decision and not an accident, and shrinking code lowers its limit.
 */
export const BUDGETS: Readonly<Record<string, Budget>> = {
  [CONNECT]: { limit: 39_820, ofSources: 40_900, target: 22_000 },
  'core alone': { limit: 18_060, target: 11_000 },
  'what Cap’n Web has': { limit: 32_320, target: 15_000 },
  'all of core': { limit: 18_910 },
  'all of extensions': { limit: 30_350 },
  'all of client': { limit: 40_600 },
  'serve a target': { limit: 56_600, target: 38_000 },
  'all of server': { limit: 57_440 },
  'all of memory': { limit: 51_890 },
  'all of http': { limit: 41_430 },
  'all of port': { limit: 52_970 },
  'all of socket': { limit: 52_660 },
  'all of binding': { limit: 41_610 },
  'all of inspect': { limit: 13_670 },
  'all of observe': { limit: 2840 },
  'all of opentelemetry': { limit: 1190 },
  'own code of stores': { limit: 2790 },
  'own code of react': { limit: 360 },
  'own code of vue': { limit: 390 },
  'own code of svelte': { limit: 290 },
  'own code of solid': { limit: 405 },
  'own code of tanstack-query': { limit: 910 },
  'all of capnweb': { limit: 13_500 },
  'encode and decode': { limit: 8000, target: 6500 },
  'all of codec': { limit: 8560 },
  'codec of the common types': { limit: 5310, target: 4500 },
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
