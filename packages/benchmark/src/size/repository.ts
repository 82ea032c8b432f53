import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import type { HouseRow } from './house-row.ts';
import { exportsOf, membersOf } from './parsed.ts';

const MANIFEST = /^packages\/[^/]+\/package\.json$/;
const TEST_FILE = /\.test(?:-d)?\.tsx?$/;

/** Counts what there is to read and to maintain in the repository: files, lines of code, words, commands and names. */
export function repositoryRows(): readonly HouseRow[] {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const below = (folder: string, pattern = /\.md$/) =>
    files.filter((path) => path.startsWith(`${folder}/`) && pattern.test(path));
  const guides = below('docs/guides');
  const decisions = below('docs/decisions');
  const reference = below('docs/reference');
  const internals = below('docs/internals');
  const entries = files.filter((path) => MANIFEST.test(path)).flatMap(entriesOf);
  const ofRpc = entries.filter(({ name }) => name === '@lumenize/rpc');
  const main = ofRpc.filter(({ path }) => path === '.' || path === './server');
  const { scripts } = manifestOf('package.json');
  const code = /\.tsx?$/;
  return [
    { what: 'tracked files', before: 1592, ceiling: 1620, now: files.length },
    {
      ...{ what: 'lines of code in the simulator', before: 11_300, ceiling: 11_400 },
      now: linesIn(below('packages/simulation', code)),
    },
    {
      ...{ what: 'lines of code in the benchmark', before: 9000, ceiling: 9750 },
      now: linesIn(below('packages/benchmark', code)),
    },
    {
      ...{ what: 'lines of code in files of tests', before: 30_000, ceiling: 32_750 },
      now: linesIn(files.filter((path) => TEST_FILE.test(path))),
    },
    { what: 'guides', before: 42, ceiling: 43, now: guides.length },
    { what: 'words in guides', before: 55_000, ceiling: 55_000, now: wordsIn(guides) },
    { what: 'words in the reference', before: 23_000, ceiling: 27_400, now: wordsIn(reference) },
    { what: 'decisions, with their history', ceiling: 26, now: decisions.length },
    { what: 'words in decisions', ceiling: 10_850, now: wordsIn(decisions) },
    { what: 'words in the longest decision', ceiling: 620, now: Math.max(...decisions.map((path) => wordsIn([path]))) },
    { what: 'words in internals', ceiling: 19_550, now: wordsIn(internals) },
    {
      ...{ what: 'words in decisions and internals', must: 35_000, before: 73_000, ceiling: 30_350 },
      now: wordsIn([...decisions, ...internals]),
    },
    { what: 'lines of the newest entry of MEASUREMENTS.md', ceiling: 250, now: newestEntry().length },
    { what: 'npm scripts', before: 29, ceiling: 11, now: Object.keys(scripts ?? {}).length },
    { what: 'entries of the packages', before: 22, ceiling: 30, now: entries.length },
    { what: 'names that @lumenize/rpc exports', before: 246, ceiling: 255, now: namesOf(ofRpc).length },
    { what: 'names that its two main entries export', ceiling: 90, now: namesOf(main).length },
    { what: 'options of these', before: 70, ceiling: 73, now: optionsOf(main) },
  ];
}

/** Counts the lines of files that are neither empty nor part of a comment. */
export function linesIn(paths: readonly string[]): number {
  const lines = paths.flatMap((path) => read(path).split('\n'));
  return lines.filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line)).length;
}

/** What an entry of a package is imported as, and the path of its source. */
interface Entry {
  readonly name: string;
  readonly path: string;
  readonly source: string;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function entriesOf(file: string): Entry[] {
  const { name, private: isPrivate, exports = {} } = manifestOf(file);
  if (isPrivate) return [];
  return Object.entries(exports).map(([path, conditions]) => ({
    ...{ name, path },
    source: join(file, '..', conditions['@lumenize/source']),
  }));
}

function namesOf(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ source }) => exportsOf(read(source)));
}

/** Counts the members of options and limits that entries export, and of what these extend. */
function optionsOf(entries: readonly Entry[]): number {
  const sources = execFileSync('git', ['ls-files', 'packages/rpc/src'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const members = membersOf(sources.split('\n').map(read));
  const wanted = new Set(namesOf(entries).filter((name) => /(?:Options|Limits)$/.test(name)));
  // The set grows while it is gone through.
  for (const name of wanted) for (const base of members.get(name)?.bases ?? []) wanted.add(base);
  return [...wanted].reduce((sum, name) => sum + (members.get(name)?.count ?? 0), 0);
}

function newestEntry(): string[] {
  // The newest is the last.
  return read('MEASUREMENTS.md')
    .split(/^### (?=\d)/m)
    .at(-1)!
    .trim()
    .split('\n');
}

function wordsIn(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + read(path).split(/\s+/).filter(Boolean).length, 0);
}

function manifestOf(path: string): Manifest {
  return JSON.parse(read(path));
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
