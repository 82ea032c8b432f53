// `npm run docs`: makes the site, then serves it beside the playground. With `--out <folder>` it only makes it, there.
import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { BASE, contentOf, onSite, type Page, ROOT, readPages, summaryOf } from './pages.ts';
import { bundlePrograms, type Program, withButtons } from './programs.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** What VitePress reads. */
const PAGES = join(HERE, 'dist/pages');
/** From where the Worker of the playground serves the site. */
const SERVED = join(ROOT, 'examples/playground/dist/page', BASE);

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

async function makeSite(folder: string): Promise<void> {
  await rm(PAGES, { recursive: true, force: true });
  const { pages, files } = readPages();
  const programs: Program[] = [];
  for (const { path, text } of pages) await write(join(PAGES, path), withButtons(path, text, programs));
  for (const file of files) await write(join(PAGES, 'public', onSite(file)), contentOf(file));
  await bundlePrograms(programs, join(PAGES, 'public/run'));
  await write(join(PAGES, 'public/llms.txt'), listOf(pages));
  await write(join(PAGES, 'public/llms-full.txt'), pages.filter(isForReaders).map(withSource).join('\n\n'));
  await rm(folder, { recursive: true, force: true });
  await build(HERE, { outDir: folder });
  // The Markdown of each page beside it, for programs that read it.
  for (const { path, text } of pages) await write(join(folder, path), text);
}

const isForReaders = ({ path }: Page) =>
  /^(?:overview|guides|reference|values|glossary|comparison|internals\/(?:protocol|codec-format))/.test(path);
const withSource = ({ path, text }: Page) => `<!-- ${BASE}${path} -->\n\n${text}`;

/** Lists the pages for programs that read documentation, with what each is about. */
function listOf(pages: readonly Page[]): string {
  const overview = pages.find(({ path }) => path === 'overview.md')!;
  const entries = pages.filter((page) => isForReaders(page) && page !== overview);
  const lines = entries.map(({ path, title, text }) => `- [${title}](${BASE}${path}): ${summaryOf(text)}`);
  return `# Lumenize RPC\n\n> ${summaryOf(overview.text)}\n\nAll of it in one file: ${BASE}llms-full.txt\n\n## Pages\n\n${lines.join('\n')}\n`;
}

const asked = process.argv.slice(2);
const [option, out] = asked;
if (option === '--out') await makeSite(resolve(out));
else {
  await makeSite(SERVED);
  const start = fileURLToPath(new URL('../../examples/playground/start.mjs', import.meta.url));
  spawn(process.execPath, [start, ...asked], { stdio: 'inherit' }).on('exit', (code) => process.exit(code ?? 1));
}
