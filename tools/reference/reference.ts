import { type Entry, findEntries } from './entries.ts';
import { gapsOf } from './gaps.ts';
import { Links } from './links.ts';
import { pageOf } from './page.ts';
import { createProgram, type Export, exportsOf } from './program.ts';

/** The pages of the reference by the names of their files, and what is missing in docstrings. */
export interface Reference {
  readonly pages: ReadonlyMap<string, string>;
  readonly gaps: readonly string[];
}

/**
 * Writes a page for each entry of the published packages, from the docstrings in their sources. It asks the compiler itself:
 * what writes references by convention gives each member a heading and each type a page, and this wants a row for an option.
 * @throws {Error} where an entry has no row in its package's README
 */
export function createReference(): Reference {
  const entries = findEntries();
  const program = createProgram(entries);
  const checker = program.getTypeChecker();
  const links = new Links(checker);
  const exports = entries.map((entry) => ({ entry, exported: exportsOf(program, entry) }));
  // What a package exports of another one is described where it comes from.
  for (const isOwn of [true, false]) {
    for (const { entry, exported } of exports) {
      for (const each of exported) if (isOf(entry, each) === isOwn) links.add(entry, each);
    }
  }
  const pages = new Map([['README.md', indexOf(entries)]]);
  for (const { entry, exported } of exports) pages.set(entry.page, pageOf(entry, exported, links, checker));
  const gaps = exports.flatMap(({ entry, exported }) =>
    exported.filter((each) => links.isAt(entry, each)).flatMap((each) => gapsOf(entry, each, checker)),
  );
  return { pages, gaps };
}

/** Returns true if an export is of the package of an entry. */
function isOf({ source }: Entry, { symbol }: Export): boolean {
  const [folder] = source.split('/src/');
  return (symbol.declarations ?? []).some((each) => each.getSourceFile().fileName.startsWith(`${folder}/`));
}

function indexOf(entries: readonly Entry[]): string {
  return `# API reference

What each entry of the packages exports, made from the docstrings by \`npm run tool -- reference\`. [The guides](../guides/README.md)
say how things go together.

| entry | for | stability |
| --- | --- | --- |
${entries.map(({ specifier, page, purpose, stability }) => `| [${specifier}](${page}) | ${purpose} | ${stability} |`).join('\n')}

What *stable* entries export changes only in versions whose number says so, with a note of what to write in its place;
*experimental* ones can change in any version, and the changelog says how.

The command line, \`lumenize-rpc\`, says what it takes by \`npx @lumenize/rpc-cli help\`; [its guide](../guides/tools.md#command-line) has more.
`;
}
