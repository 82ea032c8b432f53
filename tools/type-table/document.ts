import { installedVersion } from '@lumenize/hosts/installed';
import { codecVersions } from '../../packages/benchmark/src/environment.ts';
import { COLUMNS } from './columns.ts';
import type { Cell, Outcome, TriedGroup } from './try-out.ts';

/** The worst first: a row with several samples shows its worst. */
const WORST_FIRST: readonly Outcome['kind'][] = ['lost', 'not read back', 'refused', 'yes'];

const TEXTS = { yes: 'yes', refused: 'no: refused', 'not read back': 'no: not read back' } as const;

/** Writes the document of what became of all rows. */
export function documentOf(groups: readonly TriedGroup[]): string {
  const notes = groups.flatMap(({ rows }) => rows.flatMap(({ why }) => (why === undefined ? [] : [why])));
  const sections = groups.map((group) => sectionOf(group, notes));
  const footnotes = notes.map((why, i) => `${superscript(i)} On purpose: ${why}.`);
  return `${[introduction(), ...sections, ...(footnotes.length > 0 ? [footnotes.join('\n\n')] : [])].join('\n\n')}\n`;
}

function introduction(): string {
  const versions = Object.entries({ ...codecVersions(), capnweb: installedVersion('capnweb') });
  const named = versions.map(([name, version]) => `${name} ${version}`).sort();
  return `# Supported types

Look up how each type arrives, with this library's codec and with others. Every cell is the result of a test:
\`npm run tool -- types-table\` sends values through each codec, and compares what arrives with what was sent, down to prototypes,
holes, the order and kind of properties, -0, and shared objects. A test repeats this and fails if this page differs.

- **yes**: it arrives unchanged.
- **no: refused**: the codec throws instead of sending it.
- **no: not read back**: the codec sends it, and the other side cannot read it.
- **lost**: it arrives as something else, without an error. The cell shows where, from the value itself (\`$\`), and what
  it became.

A type with several values shows the worst result. The codecs are set up as in [the
measurements](../MEASUREMENTS.md): \`structuredClone\` is the platform's function, cbor-x and msgpackr are in their
structured-clone modes, and seroval is in its JSON form, without its separate package of plugins. If a codec can register
classes, one is registered in the row about classes. For lumenize, \`readBodies\` first reads Blobs, files, requests,
responses and forms with files; the other codecs are used as they are. In Node ${process.versions.node.split('.')[0]}, with
${named.slice(0, -1).join(', ')} and ${named.at(-1)}.`;
}

function sectionOf({ heading, rows }: TriedGroup, notes: readonly string[]): string {
  const head = ['', ...COLUMNS.map((column) => column.heading)];
  const lines = rows.map(({ name, why, cells }) => {
    const note = why === undefined ? '' : superscript(notes.indexOf(why));
    return [`${name}${note}`, ...cells.map(cellText)];
  });
  const table = [head, head.map(() => '---'), ...lines].map((row) => `| ${row.join(' | ')} |`);
  return `## ${heading}\n\n${table.join('\n')}`;
}

function cellText({ outcomes }: Cell): string {
  const kind = WORST_FIRST.find((each) => outcomes.some(({ outcome }) => outcome.kind === each))!;
  const worst = outcomes.filter(({ outcome }) => outcome.kind === kind);
  const [{ label, outcome }] = worst;
  const which =
    worst.length < outcomes.length && label !== undefined ? ` (${worst.map((each) => each.label).join(', ')})` : '';
  if (outcome.kind !== 'lost') return `${TEXTS[outcome.kind]}${which}`;
  const { path, actual } = outcome.difference;
  const where = path === '$' ? '' : `${code(path)}: `;
  return `**lost**${which}: ${where}${isProse(actual) ? actual : code(actual)}`;
}

/** Some differences are said in words, not by what there is instead. */
function isProse(text: string): boolean {
  return /^(another|at another|other|missing|added|enumerable|not |a function)/.test(text);
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
}

function superscript(index: number): string {
  return ['¹', '²', '³', '⁴', '⁵'][index];
}
