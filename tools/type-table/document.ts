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

Every cell below was found out by doing it: \`npm run types-table\` makes values, sends them through each codec, and
compares what arrives with what left, down to prototypes, holes, the order and kind of properties, -0, and which places
hold the same object. A test runs it again and fails where this page says something else.

- **yes**: it arrives as it left.
- **no: refused**: the codec throws when it is to send it, so that nobody takes it for sent.
- **no: not read back**: it is sent, and then the other side cannot read it.
- **lost**: it arrives as something else, and nobody is told. Behind it is where, from the value itself (\`$\`), and what
  it has become.

Of types with several values the worst is shown. The codecs are set up as in [the
measurements](../MEASUREMENTS.md): \`structuredClone\` is the platform's function, cbor-x and msgpackr are in their
structured-clone modes, seroval is in its form as JSON and without its separate package of plugins. A codec that can be
told of classes has been told of one, in the row about that. Blobs, files, requests, responses and forms with files are
read first with \`readBodies\` for lumenize; the others are used as they are. In Node ${process.versions.node.split('.')[0]}, with
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
