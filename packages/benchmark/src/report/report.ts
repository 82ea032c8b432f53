import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import type { RunRecord } from '../engine/record.ts';
import { documentsOf } from './documents.ts';
import { replaceFile } from './log.ts';
import { pageOf } from './page.ts';
import { newestWhole, readRecorded, readRun } from './record.ts';

/**
 * Returns what `npm run report` writes below the repository or another `root`, by paths: the page and the charts of the newest
 * whole run, and documents with its figures. Nothing where there is no such run.
 */
export async function reportFiles(root: string = ROOT): Promise<Map<string, string>> {
  const runs = readRecorded(join(root, 'measurements'));
  const run = newestWhole(runs);
  if (!run) return new Map();
  const page = await pageOf(run, runs);
  return new Map([
    ...[...page].map(([path, text]) => [`measurements/${path}`, text] as const),
    ...documentsOf(run, read),
  ]);

  function read(path: string): string | undefined {
    return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  }
}

/** Writes these files, and removes charts that are not among them. Resolves with their paths. */
export async function refreshReport(root: string = ROOT): Promise<string[]> {
  const files = await reportFiles(root);
  if (files.size === 0) return [];
  const charts = 'measurements/charts';
  const old = existsSync(join(root, charts)) ? readdirSync(join(root, charts)) : [];
  for (const name of old) if (!files.has(`${charts}/${name}`)) rmSync(join(root, charts, name));
  for (const [path, text] of files) replaceFile(join(root, path), text);
  return [...files.keys()];
}

/** Writes the page and the charts of the run in `file` into a directory beside the others, and resolves with its path. */
export async function reportRun(file: string, root: string = ROOT): Promise<string> {
  const run = readRun(file) as RunRecord;
  if (run.schema !== 2) throw new Error(`${file} is of another schema: its tables are in its entry`);
  const runs = readRecorded(join(root, 'measurements')).filter(({ takenAt }) => takenAt <= run.takenAt);
  const directory = join(root, 'measurements/pages', run.takenAt.slice(0, 19).replaceAll(':', '-'));
  for (const [path, text] of await pageOf(run, runs)) replaceFile(join(directory, path), text);
  return directory;
}

// npm run report: writes measurements/README.md and its charts, and the tables of README.md and docs/benchmarks.md, from the
// newest whole run in measurements/. With a file: writes the page of that run into measurements/pages.
if (import.meta.main) {
  const [file] = process.argv.slice(2);
  const written = file ? [await reportRun(file)] : await refreshReport();
  process.stdout.write(written.length > 0 ? `Wrote ${written.join(', ')}\n` : 'There is no whole run to draw yet\n');
}
