// npm run tool -- reference: writes docs/reference from docstrings. With --check it writes nothing, and fails where that would change
// something. Either fails where docstrings lack what the house rules want.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './entries.ts';
import { createReference } from './reference.ts';

const FOLDER = join(ROOT, 'docs/reference');
const { pages, gaps } = createReference();
mkdirSync(FOLDER, { recursive: true });
const there = readdirSync(FOLDER);
const stale = [...new Set([...there, ...pages.keys()])].filter(
  (name) => !there.includes(name) || pages.get(name) !== readFileSync(join(FOLDER, name), 'utf8'),
);
const isCheck = process.argv.includes('--check');
for (const name of isCheck ? [] : stale) {
  const page = pages.get(name);
  if (page === undefined) rmSync(join(FOLDER, name));
  else writeFileSync(join(FOLDER, name), page);
}
for (const name of stale)
  console.log(`docs/reference/${name} ${isCheck ? 'is stale: npm run tool -- reference' : 'written'}`);
for (const gap of gaps) console.log(gap);
if (gaps.length > 0 || (isCheck && stale.length > 0)) process.exitCode = 1;
