import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { readRecorded } from '../recorded/read-recorded.ts';
import { documentsOf } from './documents/documents.ts';
import { DIRECTORY, reportOf } from './report.ts';

/**
 * Draws the charts and the page again, and writes the tables of documents, from the files in `measurements/` of the repository
 * or of another `root`. Charts that have no data any more are removed. Resolves with the names of what was drawn; nothing is
 * where no run is.
 */
export async function refreshReport(root: string = ROOT): Promise<string[]> {
  const runs = readRecorded(join(root, 'measurements'));
  if (runs.length === 0) return [];
  const files = await reportOf(runs);
  const directory = join(root, DIRECTORY);
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(directory)) if (!files.has(name)) rmSync(join(directory, name));
  for (const [name, content] of files) replace(join(directory, name), content);
  for (const [path, content] of documentsOf(runs, (path) => readIn(root, path))) replace(join(root, path), content);
  return [...files.keys()];
}

/** Reads a document below a root; undefined where there is none. */
export function readIn(root: string, path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
}

/** Writes a file in one step, so that an interruption leaves the old one or the new one. */
function replace(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}
