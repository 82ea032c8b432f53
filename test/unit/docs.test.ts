import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GOLDEN } from '../../packages/structured-clone/test/golden-vectors.ts';
import { documentsNamedIn, linksIn, withoutCode } from '../support/markdown.ts';
import { projectFolder } from '../support/serve-counter.ts';

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');

const documents = globSync('**/*.md', {
  cwd: projectFolder,
  exclude: (name) => ['node_modules', 'dist', '.wrangler', '.git'].includes(name),
}).map((path) => path.split(sep).join('/'));

describe('links between documents', () => {
  test.each(documents)('of %s lead somewhere', (path) => {
    const dead = linksIn(read(path)).filter(({ target, anchor }) => {
      const file = target === '' ? path : relative(projectFolder, resolve(projectFolder, dirname(path), target));
      if (!existsSync(join(projectFolder, file))) return true;
      return anchor !== '' && file.endsWith('.md') && !anchorsOf(read(file)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});

describe('the READMEs of packages, which are read where only the package is', () => {
  test.each(documents.filter((path) => /^packages\/[^/]+\/README\.md$/.test(path)))('%s', (path) => {
    const text = read(path);
    expect(linksIn(text).filter(({ target }) => target.startsWith('..'))).toEqual([]);
    expect(documentsNamedIn(text).filter((file) => !existsSync(join(projectFolder, file)))).toEqual([]);
  });
});

test('getting started names the version of wrangler that the starter asks for', () => {
  const { devDependencies } = JSON.parse(read('examples/starter/package.json'));
  expect(read('docs/guides/getting-started.md')).toContain(
    `the starter asks for ${devDependencies.wrangler.replace('^', '')}`,
  );
});

describe('the examples of the value format', () => {
  const text = read('docs/internals/codec-format.md');
  const vectors = new Map<string, Record<string, string>>(
    GOLDEN.map(({ name, ...forms }) => [name, forms as unknown as Record<string, string>]),
  );

  test('are those of the golden vectors', () => {
    const examples = examplesIn(text);
    expect(examples.length).toBeGreaterThan(5);
    for (const { name, form, content } of examples) {
      expect(vectors.keys(), `there is no golden vector "${name}"`).toContain(name);
      const expected = vectors.get(name)![form];
      expect(content, `${form} of "${name}"`).toBe(form === 'text' ? expected : expected?.replaceAll(' ', ''));
    }
  });

  test('name every type that is carried', () => {
    const sources = globSync('packages/structured-clone/src/types/*.ts', { cwd: projectFolder }).map(read).join('');
    const marks = [...new Set([...sources.matchAll(/case '(\$\w+)'/g)].map(([, mark]) => mark))];
    expect(marks.length).toBeGreaterThan(15);
    expect(marks.filter((mark) => !text.includes(`\`${mark}\``))).toEqual([]);
  });
});

describe('the tour of a call', () => {
  const stops = stopsOf(read('docs/internals/a-call.md'));

  test('stops at files that exist, in client and server', () => {
    const files = stops.map(({ file }) => file);
    expect(files.filter((file) => !existsSync(join(projectFolder, file)))).toEqual([]);
    expect(files.some((file) => file.includes('/client/')) && files.some((file) => file.includes('/server/'))).toBe(
      true,
    );
  });

  test.each(stops.map(({ file, functions }) => [file, functions] as const))(
    'speaks of what is in %s',
    (file, functions) => {
      const source = read(file);
      expect(functions.filter((name) => !new RegExp(`(?<![\\w#])${name}(<[^(]*>)?\\(`).test(source))).toEqual([]);
    },
  );
});

describe('the pages for maintainers', () => {
  const decisions = globSync('docs/decisions/*.md', { cwd: projectFolder }).map((path) => path.split(sep).join('/'));
  const internals = globSync('docs/internals/*.md', { cwd: projectFolder }).map((path) => path.split(sep).join('/'));
  const isNumbered = (path: string) => /\/\d{4}-[^/]+$/.test(path);
  const linesOf = (path: string) => read(path).trimEnd().split('\n').length;
  const wordsOf = (path: string) => read(path).trim().split(/\s+/).length;

  test('are few and short, so that one person can hold them', () => {
    const inForce = decisions.filter(isNumbered);
    expect(inForce.length).toBeLessThanOrEqual(25);
    expect(inForce.filter((path) => linesOf(path) > 40)).toEqual([]);
    const words = [...decisions, ...internals].reduce((sum, path) => sum + wordsOf(path), 0);
    expect(words).toBeLessThanOrEqual(35_000);
  });

  test('have each number of a decision once: as a page, or in the history', () => {
    const history = read('docs/decisions/history.md');
    const past = [...history.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
    const present = decisions.filter(isNumbered).map((path) => {
      const [, inHeading] = /^# (\d+)\. /.exec(read(path)) ?? [];
      expect(path).toContain(`/${String(inHeading).padStart(4, '0')}-`);
      return Number(inHeading);
    });
    const missing = [...history.matchAll(/^There is no decision (\d+)\.$/gm)].map(([, number]) => Number(number));
    const all = [...past, ...present, ...missing].toSorted((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: all.length }, (_, at) => at + 1));
  });

  test('are all in their index', () => {
    const names = internals.map((path) => path.replace('docs/internals/', '')).filter((name) => name !== 'README.md');
    expect(names.filter((name) => !read('docs/internals/README.md').includes(`](${name})`))).toEqual([]);
  });
});

test('the glossary has at most 25 words', () => {
  const rows = [...read('docs/glossary.md').matchAll(/^\| (\*\*.*?) \|/gm)].map(([, words]) => words.split(', '));
  expect(rows.flat().length).toBeGreaterThan(10);
  expect(rows.flat().length).toBeLessThanOrEqual(25);
});

/** The anchors that headings get: a number distinguishes those that would be the same. */
function anchorsOf(text: string): string[] {
  const slugs = [...withoutCode(text, false).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
  return slugs.map((slug, place) => {
    const before = slugs.slice(0, place).filter((each) => each === slug).length;
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

/**
 * Reads blocks such as
 *
 *     a call: increment()
 *       up    [1,[0,"increment",[]]]
 *
 * where a line that is not indented begins with the name of a golden vector, and those indented by two have a form of it.
 */
function examplesIn(text: string): { name: string; form: string; content: string }[] {
  return [...text.matchAll(/^```hex\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => {
    let name = '';
    return block.split('\n').flatMap((line) => {
      if (/^\S/.test(line)) name = line.split(':')[0];
      const [, form, content] = /^ {2}(\w+) +(.+)$/.exec(line) ?? [];
      if (form === undefined) return [];
      return [{ name, form, content: form === 'text' ? content : content.replaceAll(' ', '') }];
    });
  });
}

/** Reads the sections that have a file in their heading, with the functions they name, such as `Session.call()`. */
function stopsOf(text: string): { file: string; functions: string[] }[] {
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [, file] = /\]\((?:\.\.\/)+([^)]+\.ts)\)/.exec(section.split('\n')[0]) ?? [];
      if (file === undefined) return [];
      const prose = section.replace(/^```[\s\S]*?^```$/gm, '');
      return [{ file, functions: [...prose.matchAll(/`(?:\w+\.)?(#?\w+)\(\)`/g)].map(([, name]) => name) }];
    });
}
