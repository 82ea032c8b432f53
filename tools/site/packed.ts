// Puts the guides into the packages that they are about, for editors and tools that read them where these are installed. What entries
// export is in the declarations.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT } from './pages.ts';

const DOCS = join(ROOT, 'docs');

/** The documents of each package, as patterns in `docs`. All other guides are those of `rpc`. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  capnweb: ['guides/moving-from-capnweb.md'],
  cli: ['guides/command-line.md'],
  react: ['guides/react.md'],
  solid: ['guides/solid.md'],
  svelte: ['guides/svelte.md'],
  'structured-clone': ['values.md', 'internals/codec-format.md'],
  'tanstack-query': ['guides/tanstack-query.md'],
  vue: ['guides/vue.md'],
};
/** Matches blocks of code. */
const BLOCKS = /(^```[\s\S]*?^```$)/m;
/** Guides for those who have yet to install a package, or have a clone of the repository. */
const ELSEWHERE = ['guides/from-*.md', 'guides/measuring-deployed.md'];

for (const [name, patterns] of Object.entries(OWN)) pack(name, globSync(patterns, { cwd: DOCS }));
pack(
  'rpc',
  globSync(['guides/*.md', 'glossary.md'], { cwd: DOCS, exclude: [...Object.values(OWN).flat(), ...ELSEWHERE] }),
);

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
