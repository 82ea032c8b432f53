// Bundles the page of the playground. Usage: node build-page.mjs [output folder, default dist/page beside this file]
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Where the page is put if nothing else is said: `wrangler.toml` has it from there. */
export const PAGE_FOLDER = fileURLToPath(new URL('dist/page', import.meta.url));

/** Its names change with what is in it. */
const PARTS = 'parts';

/** @param {string} folder */
const options = (folder) => ({
  absWorkingDir: here,
  entryPoints: ['page/main.tsx', 'page/race/race-worker.ts', 'page/styles.css', 'page/index.html', 'page/icon.svg'],
  outdir: folder,
  bundle: true,
  // The page and its worker share the library.
  splitting: true,
  chunkNames: `${PARTS}/[name]-[hash]`,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  // Straight from the packages' sources, so that a page is never built from yesterday's dist folders.
  conditions: ['@lumenize/source'],
  // `npm run docs` puts the documentation beside the page.
  define: { HAS_DOCS: `${existsSync(join(folder, 'docs'))}` },
  loader: { '.html': 'copy', '.svg': 'copy' },
  minify: true,
  sourcemap: true,
  logLevel: 'warning',
});

/** Builds the page once. */
export async function buildPage(folder = PAGE_FOLDER) {
  await removeParts(folder);
  await build(options(folder));
}

/** Builds the page, and again whenever one of its files is saved, for as long as the process lives. */
export async function watchPage(folder = PAGE_FOLDER) {
  await removeParts(folder);
  const watched = await context(options(folder));
  await watched.rebuild();
  await watched.watch();
}

/** What an earlier build has left there, nobody asks for any more. */
function removeParts(folder) {
  return rm(join(folder, PARTS), { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage(process.argv[2]);
