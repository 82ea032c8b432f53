import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Loader, transform } from 'esbuild';
import { projectFolder } from '../../support/serve-counter.ts';

export const IMAGES = join(projectFolder, 'docs/images');

/** Beside the images: what they show, as a digest. */
export const DIGEST_FILE = join(IMAGES, 'playground.digest');

const PAGE = join(projectFolder, 'examples/playground/page');

/** What is drawn, and how it is read: components, styles and the rest. What the page does behind them changes no picture. */
const DRAWN: Readonly<Record<string, Loader>> = { '.tsx': 'tsx', '.css': 'css', '.html': 'text', '.svg': 'text' };

/** Besides, the texts that are not in components. */
const TEXTS = new Set(['sections.ts', 'calls.ts']);

/** Returns a digest of what the page looks like, minified before, so that neither comments nor formatting count. */
export async function digestOfPage(): Promise<string> {
  const hash = createHash('sha256');
  const files = await readdir(PAGE, { recursive: true, withFileTypes: true });
  const paths = files.filter(({ name }) => extname(name) in DRAWN || TEXTS.has(name));
  for (const path of paths.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
    const loader = DRAWN[extname(path)] ?? 'ts';
    const { code } = await transform(await readFile(path, 'utf8'), { loader, minify: true, jsx: 'automatic' });
    hash.update(code);
  }
  return hash.digest('hex');
}
