// Bundles the counter page. Usage: node build-page.mjs [output folder, default dist/page beside this file]
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

await build({
  absWorkingDir: here,
  entryPoints: ['page/main.ts', 'page/styles.css', 'page/index.html', 'page/icon.svg'],
  outdir: process.argv[2] ?? 'dist/page',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  // Straight from the packages' sources, so that a page is never built from yesterday's dist folders.
  conditions: ['@lumenize/source'],
  loader: { '.html': 'copy', '.svg': 'copy' },
  minify: true,
  sourcemap: true,
  logLevel: 'warning',
});
