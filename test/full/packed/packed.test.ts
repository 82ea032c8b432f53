import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CONFIGURATIONS,
  checkConfiguration,
  checkDeclarations,
  checkTypes,
  PROGRAM_NAMES,
  RESOLUTIONS,
} from '../../packed/check-types.ts';
import { IN_TESTS, install, PackedProject } from '../../packed/packed-project.ts';
import { type Served, serveByVite, serveByWorkerd, serveByWrangler } from '../../packed/serve.ts';
import { COMPILERS } from '../../support/compile.ts';
import { documentsNamedIn, linksIn } from '../../support/markdown.ts';
import { projectFolder } from '../../support/serve-counter.ts';

const run = promisify(execFile);
const executablePath = findChromium();
if (!executablePath)
  console.warn('Packed packages in a browser skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

/** The oldest line of Node that is supported, which comes as a package. */
const OLDEST_NODE = 'node@22.23.3';

/** What a package may weigh: bytes of its archive, bytes and number of the files in it. */
const MOST = {
  rpc: { bytes: 250_000, unpackedBytes: 1_000_000, count: 80 },
  others: { bytes: 60_000, unpackedBytes: 200_000, count: 30 },
} as const;

/** What a client gets from the Worker, wherever they run. */
const USED = {
  values: [1, 3],
  name: 'Ada',
  badges: ['first,1'],
  since: 0,
  called: [2, 4],
  mapped: ['Ada', 'Bob'],
  counted: [3, 2, 1],
  changes: [1, 3],
  refused: 'DENIED',
  caller: 'Ada',
};

describe('the packed packages, in a project of a user', () => {
  let project: PackedProject;
  let workerd: Served;
  let inWorkers: readonly string[];

  beforeAll(async () => {
    project = await PackedProject.create();
    inWorkers = project.specifiers.filter((specifier) => !project.specifiersInPages.includes(specifier));
    await project.write('entries.ts', entriesModule(inWorkers));
    await project.write('page-entries.ts', entriesModule(project.specifiersInPages));
    workerd = await serveByWorkerd(project);
  }, 120_000);

  afterAll(async () => {
    await workerd?.[Symbol.asyncDispose]();
    await project?.[Symbol.asyncDispose]();
  });

  test('are small, and hold no sources and nothing that leads to them', () => {
    for (const { name, size, unpackedSize, files } of project.packed) {
      const { bytes, unpackedBytes, count } = name === '@lumenize/rpc' ? MOST.rpc : MOST.others;
      expect(size, name).toBeLessThanOrEqual(bytes);
      expect(unpackedSize, name).toBeLessThanOrEqual(unpackedBytes);
      expect(files.length, `${name}: ${files}`).toBeLessThanOrEqual(count);
      const known =
        /^(?:package\.json|README\.md|LICENSE|dist\/(?:(?!template\/).+(?:\.d\.ts|\.js)|template\/.+)|docs\/.+\.md)$/;
      expect(files.filter((file) => !known.test(file))).toEqual([]);
    }
    for (const path of globSync('node_modules/@lumenize/*/{package.json,dist/**/*}', { cwd: project.folder })) {
      if (!/\.(?:ts|js|json)$/.test(path)) continue;
      const text = readFileSync(join(project.folder, path), 'utf8');
      expect(text, path).not.toMatch(/sourceMappingURL|@lumenize\/source|(?:^|[^\w])src\/[\w/-]+\.tsx?['"]/);
    }
  });

  test('say what is called where it is declared, for editors', () => {
    const declared = readFileSync(join(project.folder, 'node_modules/@lumenize/rpc/dist/index.d.ts'), 'utf8');
    const chunks = globSync('node_modules/@lumenize/rpc/dist/chunks/*.d.ts', { cwd: project.folder });
    const all = [declared, ...chunks.map((path) => readFileSync(join(project.folder, path), 'utf8'))].join('\n');
    expect(all).toMatch(/\*\/\n(?:export )?declare function connect</);
    expect(all).toMatch(/\*\/\n(?:export )?declare class RpcError /);
  });

  test('hold what they say, by publint', async () => {
    for (const { archive } of project.packed) {
      const { buffer, byteOffset, byteLength } = await readFile(archive);
      const content = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
      const { messages, pkg } = await publint({ pack: { tarball: content }, strict: true });
      expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
    }
  });

  test('bring the documentation along', () => {
    const pages = globSync('@lumenize/*/docs/**/*.md', { cwd: join(project.folder, 'node_modules') });
    expect(pages).toEqual(
      expect.arrayContaining([
        '@lumenize/rpc/docs/guides/README.md',
        '@lumenize/rpc/docs/guides/getting-started.md',
        '@lumenize/structured-clone/docs/values.md',
      ]),
    );
  });

  test('have documents whose links lead to files of the same package', async () => {
    for (const { name } of project.packages) {
      const installed = join(project.folder, 'node_modules', name);
      const files = globSync('**/*', { cwd: installed });
      const documents = files.filter((file) => file.endsWith('.md'));
      expect(documents).toContain('README.md');
      for (const document of documents) {
        const links = linksIn(await readFile(join(installed, document), 'utf8'));
        const dead = links.filter(({ target }) => target !== '' && !files.includes(join(dirname(document), target)));
        expect(dead, `${name}/${document}`).toEqual([]);
      }
    }
  });

  test('have types that fit what is run, by arethetypeswrong', { timeout: 60_000 }, async () => {
    const attw = join(projectFolder, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    // They are modules only; who requires them needs a Node that can.
    const options = ['--profile', 'esm-only', '--format', 'ascii', '--no-color'];
    // Nobody imports commands.
    const imported = project.packed.filter((_packed, index) => project.packages[index].specifiers.length > 0);
    for (const { archive } of imported) {
      const found = await run(process.execPath, [attw, archive, ...options]).then(
        () => 'nothing',
        (error: { stdout: string }) => error.stdout,
      );
      expect(found).toBe('nothing');
    }
  });

  test('come with the license, and a README that names documents by where they are', async () => {
    const license = await readFile(join(projectFolder, 'LICENSE'), 'utf8');
    const rpc = join(project.folder, 'node_modules/@lumenize/rpc');
    for (const { name } of project.packages) {
      const installed = join(project.folder, 'node_modules', name);
      expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toBe(license);
      const readme = await readFile(join(installed, 'README.md'), 'utf8');
      expect(readme).toContain(name);
      const missing = documentsNamedIn(readme).filter(
        (file) => ![installed, rpc].some((at) => existsSync(join(at, file))),
      );
      expect(missing).toEqual([]);
    }
  });

  describe.each(Object.keys(COMPILERS) as (keyof typeof COMPILERS)[])('compile with TypeScript %s', (compiler) => {
    const programs = PROGRAM_NAMES.flatMap((program) =>
      RESOLUTIONS.map((resolution) => [program, resolution] as const),
    );

    test.each(programs)('a %s, whose modules are found as by %s', { timeout: 60_000 }, async (program, resolution) => {
      expect(await checkTypes(project, program, resolution, compiler)).toEqual([]);
    });

    test.each(CONFIGURATIONS)(
      'clients, and find their mistakes, with lib $lib, types $types, skipLibCheck $skipLibCheck',
      { timeout: 60_000 },
      async (configuration) => {
        expect(await checkConfiguration(project, configuration, compiler)).toEqual([]);
      },
    );

    test('to declarations, from any entry alone', { timeout: 300_000 }, async () => {
      const wrong: string[] = [];
      for (const specifier of [...project.specifiers, IN_TESTS]) {
        for (const line of await checkDeclarations(project, specifier, compiler)) wrong.push(`${specifier}: ${line}`);
      }
      expect(wrong).toEqual([]);
    });
  });

  test('are one library in workerd, whichever entries are used', async () => {
    expect(await (await fetch(`${workerd.url}/inspect`)).json()).toEqual({
      errors: true,
      targets: true,
      platform: true,
      connect: 'function',
      greeting: 'Hello, Ada',
      bytes: true,
      entries: inWorkers,
    });
  });

  test('run in this Node', async () => {
    expect(await runInNode(process.execPath)).toEqual({ failed: [], same: true, result: USED });
  });

  test('bring the command line', async () => {
    const command = join(project.folder, 'node_modules/.bin/lumenize-rpc');
    const { stdout } = await run(command, ['call', `${workerd.url}/rpc/counter/command-line`, 'increment', '5']);
    expect(stdout).toBe('5\n');
  });

  test('run in Node 22', { timeout: 120_000 }, async ({ skip }) => {
    // In a folder of its own: npm removes what it has not installed, such as what is linked.
    const folder = join(project.folder, 'node-22');
    await install(folder, [OLDEST_NODE]).catch((error) => skip(`${OLDEST_NODE} cannot be installed: ${error}`));
    const node = join(folder, 'node_modules/node/bin/node');
    expect((await run(node, ['--version'])).stdout).toMatch(/^v22\./);
    expect(await runInNode(node)).toEqual({ failed: [], same: true, result: USED });
  });

  test('run in wrangler dev, also from one Worker to another that it is bound to', { timeout: 90_000 }, async () => {
    await using wrangler = await serveByWrangler(project);
    expect(await (await fetch(`${wrangler.url}/shop`)).json()).toEqual([0.4, 'counter']);
    expect(await runInNode(process.execPath, wrangler.url)).toMatchObject({ result: USED });
  });

  test.skipIf(!executablePath)('run in a page that Vite has built', { timeout: 60_000 }, async () => {
    await using served = await serveByVite(project);
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(served.url);
      const used = await page.evaluate(`usePage(${JSON.stringify(workerd.url)})`);
      expect(used).toEqual({ counter: USED, http: 1, memory: 3, port: 7, error: 'RpcError' });
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  async function runInNode(node: string, url = workerd.url): Promise<unknown> {
    const { stdout } = await run(
      node,
      ['--disable-warning=ExperimentalWarning', 'node.ts', url, ...project.specifiers],
      {
        cwd: project.folder,
        // Options meant for this process, such as a test runner's conditions, are not for that one.
        env: { ...process.env, NODE_OPTIONS: '' },
      },
    );
    return JSON.parse(stdout);
  }
});

/** A module that imports all entries, and exports them by their names. */
function entriesModule(specifiers: readonly string[]): string {
  const imports = specifiers.map((specifier, index) => `import * as entry${index} from '${specifier}';`);
  const entries = specifiers.map((specifier, index) => `'${specifier}': entry${index}`);
  return `${imports.join('\n')}\nexport const entries = { ${entries.join(', ')} };\n`;
}
