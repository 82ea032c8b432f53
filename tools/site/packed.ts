// Puts the guides into the package rpc, for editors and tools that read them where it is installed. What entries export is in the
// declarations.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT } from './pages.ts';

const DOCS = join(ROOT, 'docs');

/** The documents of each package, as patterns in `docs`. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  rpc: ['guides/*.md', 'glossary.md'],
  'structured-clone': ['values.md', 'internals/codec-format.md'],
};
/** Matches blocks of code. */
const BLOCKS = /(^```[\s\S]*?^```$)/m;
for (const [name, patterns] of Object.entries(OWN)) pack(name, globSync(patterns, { cwd: DOCS }));
function pack(name: string, files: readonly string[]): void {
  const folder = join(ROOT, 'packages', name, 'docs');
  rmSync(folder, { recursive: true, force: true });
  for (const file of files) {
    const parts = readFileSync(join(DOCS, file), 'utf8').split(BLOCKS);
    const text = parts.map((part, at) => (at % 2 === 0 ? withoutOutwardLinks(part, file, files) : part)).join('');
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

/** Leaves the text of links to files that are not packed. */
function withoutOutwardLinks(text: string, from: string, files: readonly string[]): string {
  return text.replace(/!?\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/g, (link, label, href) => {
    if (/^(?:[a-z]+:|#)/.test(href)) return link;
    return files.includes(posix.join(posix.dirname(from), href.split('#', 1)[0])) ? link : label;
  });
}
