import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SingleBar } from 'cli-progress';
import { type Coverage, coverageTable, mergeCoverage } from '../coverage.ts';
import type { Failure, Totals } from '../search.ts';
import type { ScenarioFailure, SearchNews, SearchOrder } from './search-worker.ts';
import { showFailure } from './show.ts';

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url));
const FLAGS = ['--conditions=@lumenize/source', '--disable-warning=ExperimentalWarning'];

/** Searches in several processes at once, and prints what they did. Resolves with true if nothing was found. */
export async function searchCommand(seed: number, seconds: number, processes: number): Promise<boolean> {
  const bar = new SingleBar({ format: '{bar} {value}/{total} s, {programs} programs, {calls} calls, {faults} faults' });
  const newest = new Map<number, Totals>();
  const sum = (what: 'programs' | 'scenarios' | 'calls' | 'faults') =>
    [...newest.values()].reduce((total, each) => total + each[what], 0);
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1000;
  if (process.stdout.isTTY) bar.start(Math.round(seconds), 0, { programs: 0, calls: 0, faults: 0 });
  const failures = await Promise.all(
    Array.from({ length: processes }, (_, place) =>
      searchInProcess({ seed: seed + place, step: processes, seconds, shortenMs: 30_000 }, ({ totals }) => {
        newest.set(place, totals);
        if (!process.stdout.isTTY) return;
        const counts = { programs: sum('programs'), calls: sum('calls'), faults: sum('faults') };
        bar.update(Math.min(Math.round(seconds), Math.round(elapsed())), counts);
      }),
    ),
  );
  bar.stop();
  const coverage: Coverage = {};
  for (const totals of newest.values()) mergeCoverage(coverage, totals.coverage);
  console.log(coverageTable(coverage));
  const rate = (count: number) => `${count} (${(count / elapsed()).toFixed(1)} a second)`;
  console.log(
    `programs: ${rate(sum('programs'))}, scenarios: ${rate(sum('scenarios'))}, calls: ${rate(sum('calls'))}, faults: ${rate(sum('faults'))}`,
  );
  console.log(`features covered: ${Object.keys(coverage).length}, in ${elapsed().toFixed()} s from seed ${seed}`);
  const found = failures.filter((failure) => failure !== undefined);
  for (const failure of found) await showFailure(failure);
  return found.length === 0;
}

/** Searches in a process of its own. Resolves with what it found. */
function searchInProcess(
  order: SearchOrder,
  told: (news: SearchNews) => void,
): Promise<Failure | ScenarioFailure | undefined> {
  const child = spawn(process.execPath, [...FLAGS, CLI, '--child', JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let found: Failure | ScenarioFailure | undefined;
  createInterface(child.stdout).on('line', (line) => {
    const news = JSON.parse(line) as SearchNews;
    if ('failure' in news) found = news.failure;
    told(news);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(found) : reject(new Error(`a searching process ended with ${code}`)),
    );
  });
}
