import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { connect, RpcError } from '@lumenize/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GuideProject } from '../../packed/guide-project.ts';

const executablePath = findChromium();
if (!executablePath) console.warn('The page of docs/guides/getting-started.md skipped: no Chromium was found.');

let project: GuideProject;
beforeAll(async () => {
  project = await GuideProject.create('docs/guides/getting-started.md');
  await project.run('wrangler types');
}, 120_000);
afterAll(() => project?.[Symbol.asyncDispose]());

test('the guide has less than sixty lines of code, and says so', () => {
  const names = /^(?:\/\/|#|<!--) [\w/-]+\.\w+/;
  const lines = [...project.files.values()].flatMap((code) => code.split('\n'));
  const code = lines.filter((line) => line.trim() !== '' && !names.test(line));
  expect(project.text).toMatch(/less than\s+sixty lines/);
  expect(code.length).toBeLessThan(60);
});

test('its code has no type errors, and mistakes are named', { timeout: 60_000 }, async () => {
  expect(await project.run('npx tsc')).toEqual({ code: 0, output: '' });
  await saysOf(/TS2551: (.+)/, 'page.ts', (code) => code.replace('increment()', 'incremnt()'));
  await saysOf(/^ +(Property '__RPC_TARGET_BRAND'.+)/m, 'worker.ts', (code) =>
    code.replace('extends RpcTarget', '').replace('super();', ''),
  );
  await saysOf(
    /TS2688: (.+)/,
    'tsconfig.json',
    (code) => code.replace('worker-config', 'worker-conf'),
    (said) => said.replace('worker-conf', 'worker-config'),
  );
});

test('its test passes', { timeout: 60_000 }, async () => {
  const { code, output } = await project.run('npx vitest run');
  expect(output).toMatch(/Tests +1 passed/);
  expect(code).toBe(0);
});

test('wrangler names a class that is not exported', { timeout: 60_000 }, async () => {
  await project.write('misspelt.toml', project.files.get('wrangler.toml')!.replaceAll('"Counter"', '"Conter"'));
  const { output } = await project.run('npx wrangler deploy --dry-run --outdir deployed --config misspelt.toml');
  const [, said] = /(Your Worker depends on.+: Conter\.)/.exec(output) ?? [];
  expect(project.text, output).toContain(`\`${said}\``);
});

test('its page counts, and its Worker names mistakes', { timeout: 90_000 }, async () => {
  await using server = await project.dev();
  const host = `localhost:${server.port}`;
  await namesMistakes(host);
  if (executablePath) await countsInPage(`http://127.0.0.1:${server.port}/`);
});

/** Makes a mistake in a file, compiles, and finds what is said of it in the guide. */
async function saysOf(
  pattern: RegExp,
  file: string,
  mistake: (code: string) => string,
  asInGuide: (said: string) => string = (said) => said,
): Promise<void> {
  const code = project.files.get(file)!;
  await project.write(file, mistake(code));
  const { output } = await project.run('npx tsc');
  await project.write(file, code);
  const said = pattern.exec(output)?.[1];
  expect(said, output).toBeDefined();
  expect(project.text).toContain(`\`${asInGuide(said!)}\``);
}

async function namesMistakes(host: string): Promise<void> {
  const url = `ws://127.0.0.1:${host.split(':')[1]}/rpc/`;
  const said = [
    ['METHOD_NOT_FOUND', await failure(`${url}counter/mistakes`, 'incremnt')],
    ['NOT_CLONEABLE', await failure(`${url}counter/mistakes`, 'increment', Symbol('5'))],
    ['NOT_FOUND', await failure(`${url}conter/main`)],
    ['NOT_FOUND', await failure(`${url}counter`)],
    ['NOT_EXECUTED', await failure(url.replace('/rpc/', '/rcp/counter/main'))],
    ['TypeError', await failure('/rpc/counter/main')],
    ['DENIED', await refusal(url, { method: 'POST', headers: { Origin: 'http://localhost:5173' } })],
    ['the browser', await refusal(url)],
  ];
  for (const [code, message] of said)
    expect(project.text).toContain(`| \`${message}\` | ${code === 'the browser' ? code : `\`${code}\``} |`);
}

/** What a call says, without what depends on the machine. */
async function failure(url: string, method = 'increment', ...args: unknown[]): Promise<string> {
  try {
    using stub = connect(url, { maxWaitMs: 2000 }); // a busy machine takes longer than 200
    await stub[method](...args);
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof TypeError)) throw error;
    return error.message.replace(/^waited .*(?=cannot be reached)/, '').replace(/ \(1006.*\)$/, '');
  }
  throw new Error(`${method} of ${url} did not fail`);
}

async function refusal(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(`${url.replace('ws:', 'http:')}counter/main`, init);
  return (await response.text()).trim();
}

async function countsInPage(url: string): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(url);
    await page.getByRole('button', { name: '0' }).click();
    await page.getByRole('button', { name: '1' }).click();
    await page.reload();
    await page.getByRole('button', { name: '2' }).waitFor();
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
}
