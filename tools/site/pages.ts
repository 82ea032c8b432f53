import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the site is, on the Worker that serves it. */
export const BASE = '/docs/';

/** A page of the site, made of a file of the project. */
export interface Page {
  /** The file, from the project's folder. */
  readonly file: string;
  /** Where it is on the site: `guides/types.md`. */
  readonly path: string;
  readonly title: string;
  /** Markdown whose links lead to other pages, or to files below `files/`. */
  readonly text: string;
}

const SOURCES = [
  'docs/**/*.md',
  '*.md',
  'measurements/README.md',
  'packages/*/{README,CHANGELOG}.md',
  'tools/site/index.md',
];

/** Pages that are not where their files are. */
const PLACES: Readonly<Record<string, string>> = {
  'README.md': 'overview.md',
  'MEASUREMENTS.md': 'measurements/index.md',
  'measurements/README.md': 'measurements/files.md',
  'tools/site/index.md': 'index.md',
};

/** What looks like a tag to Vue, and is text. */
const NO_TAG = /<(?!\/?(?:sup|sub|br|a|img|picture|source|details|summary|kbd|!--|https?:)\b|!--)/g;

/** Reads all pages, and lists the files that they show or lead to. */
export function readPages(): { pages: readonly Page[]; files: ReadonlySet<string> } {
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: (name) => name.includes('node_modules') }).sort();
  const places = new Map(sources.map((file) => [file, placeOf(file)]));
  const files = new Set<string>();
  const pages = sources.map((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8') + (file === 'CHANGELOG.md' ? unreleasedChanges() : '');
    const text = outsideCode(source, (part) =>
      withLinks(part, (href) => hrefOnSite(href, file, places, files))
        .replace(NO_TAG, '&lt;')
        .replaceAll('{{', '&#123;{'),
    );
    return { file, path: places.get(file)!, title: titleOf(source) ?? file, text };
  });
  return { pages, files };
}

/** Returns what the next release will say, which is in a file for each change. */
function unreleasedChanges(): string {
  const files = globSync('.changeset/*.md', { cwd: ROOT }).filter((file) => !file.endsWith('README.md'));
  const changes = files.map((file) => {
    const [, concerned, text] = /^---\n([\s\S]*?)---\n([\s\S]*)$/.exec(readFileSync(join(ROOT, file), 'utf8'))!;
    const packages = concerned.replace(/'([^']+)': \w+\n/g, ', `$1`').slice(2);
    return `- ${packages}: ${text.trim().replaceAll('\n', '\n  ')}\n`;
  });
  return `\n## Not released yet\n\n${changes.sort().join('')}`;
}

function placeOf(file: string): string {
  const place = file.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
  return PLACES[file] ?? (place.includes('/') ? place : place.toLowerCase());
}

/** Returns the text of the first heading. */
export function titleOf(text: string): string | undefined {
  return /^# (.+)$/m.exec(text)?.[1].replaceAll('`', '');
}

/** Returns the first paragraph of prose, in one line. */
export function summaryOf(text: string): string {
  const paragraph = /^(?:[A-Za-z`*[].*\n?)+/m.exec(text.replace(/^---\n[\s\S]*?\n---\n/, '')) ?? [''];
  return paragraph[0]
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

/** Changes a document but for its blocks of code and code in lines. */
export function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(^```[\s\S]*?^```$|`[^`\n]+`)/gm)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join('');
}

/** Changes where the links and images of Markdown lead. */
function withLinks(text: string, change: (href: string) => string): string {
  return text
    .replace(/\]\(([^)\s]+)/g, (_, href) => `](${change(href)}`)
    .replace(/(<(?:img|a|source)\b[^>]*?\b(?:src|href|srcset)=")([^"]+)"/g, (_, tag, href) => `${tag}${change(href)}"`);
}

function hrefOnSite(href: string, from: string, places: ReadonlyMap<string, string>, files: Set<string>): string {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [to, hash] = href.split('#', 2);
  const file = posix.normalize(posix.join(dirname(from), to)).replace(/\/$/, '');
  const index = `${file}/README.md`;
  const place = places.get(file) ?? places.get(index);
  if (place !== undefined) return `/${place}${hash === undefined ? '' : `#${hash}`}`;
  if (!existsSync(join(ROOT, file))) throw new Error(`${from} leads to ${href}, which is not there`);
  files.add(file);
  return `/${onSite(file)}`;
}

/** Returns where a file that is no page is on the site: sources end with `.txt`, so that browsers show them. */
export function onSite(file: string): string {
  if (statSync(join(ROOT, file)).isDirectory()) return `files/${file}/index.txt`;
  return /\.(?:svg|png|json)$/.test(file) ? `files/${file}` : `files/${file}.txt`;
}

/** Returns what the site shows of a file that is no page: of a folder, the names in it. */
export function contentOf(file: string): string | Uint8Array {
  const path = join(ROOT, file);
  if (!statSync(path).isDirectory()) return readFileSync(path);
  const names = readdirSync(path, { withFileTypes: true }).map(
    (entry) => entry.name + (entry.isDirectory() ? '/' : ''),
  );
  const shown = names.filter((name) => !/^(?:node_modules|dist|\.)/.test(name)).sort();
  return `${file}/ in the repository:\n\n${shown.map((name) => `  ${name}\n`).join('')}`;
}
