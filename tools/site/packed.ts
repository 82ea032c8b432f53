// Puts the documentation for users into the package @lumenize/rpc, for editors and tools that read it where it is installed.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { outsideCode, ROOT } from './pages.ts';

const DOCS = join(ROOT, 'docs');
const PACKED = join(ROOT, 'packages/rpc/docs');

const files = globSync(
  [
    'guides/*.md',
    'reference/*.md',
    'values.md',
    'comparison.md',
    'glossary.md',
    'internals/protocol.md',
    'internals/codec-format.md',
  ],
  {
    cwd: DOCS,
  },
);
rmSync(PACKED, { recursive: true, force: true });
for (const file of files) {
  const text = outsideCode(readFileSync(join(DOCS, file), 'utf8'), (part) => withoutOutwardLinks(part, file));
  mkdirSync(dirname(join(PACKED, file)), { recursive: true });
  writeFileSync(join(PACKED, file), text);
}

/** Leaves the text of links to files that are not packed. */
function withoutOutwardLinks(text: string, from: string): string {
  return text.replace(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label, href) => {
    if (/^(?:[a-z]+:|#)/.test(href)) return link;
    return files.includes(posix.join(posix.dirname(from), href.split('#', 1)[0])) ? link : label;
  });
}
