import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DocumentCode } from '../../support/document-code.ts';
import { projectFolder } from '../../support/serve-counter.ts';

const run = promisify(execFile);

/** The guide's configuration, for packages whose sources are in the workspace. */
const WITH_SOURCES = `
import { mergeConfig } from 'vitest/config';
import config from './vitest.config.ts';

const ours = '@lumenize/source';
const inNode = { ssr: { resolve: { conditions: [ours, 'node', 'module', 'import'] } } };
const inWorkers = { ssr: { resolve: { conditions: [ours, 'workerd', 'worker', 'module', 'import'] } } };
const [node, workers] = config.test.projects;
config.test.projects = [mergeConfig(node, inNode), mergeConfig(workers, inWorkers)];
export default config;
`;

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('docs/guides/testing.md');
  await code.write('sources.config.js', WITH_SOURCES);
});
afterAll(() => code[Symbol.asyncDispose]());

test('the code of the guide has no type errors', { timeout: 60_000 }, async () => {
  const types = ['@cloudflare/workers-types', '@cloudflare/vitest-plugin/types', 'node'];
  expect(await code.typeErrors({ types })).toBe('');
});

test('the tests of the guide pass, in Node and in the Workers runtime', { timeout: 120_000 }, async () => {
  const vitest = join(projectFolder, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', 'sources.config.js', '--reporter', 'json', '--outputFile', 'report.json'];
  const env = { ...process.env, WRANGLER_BUILD_CONDITIONS: '@lumenize/source,workerd,worker,browser' };
  const output = await run(process.execPath, args, { cwd: code.folder, env }).catch((error: Output) => error);
  const report = await readFile(join(code.folder, 'report.json'), 'utf8').then(JSON.parse, () => output);
  expect(report, `${output.stdout}${output.stderr}`).toHaveProperty('testResults');
  const failed = report.testResults.flatMap(({ message, assertionResults }: Report) => [
    message,
    ...assertionResults.flatMap(({ failureMessages }) => failureMessages),
  ]);
  expect(failed.filter((text: string) => text !== '')).toEqual([]);
  expect(report.numPassedTests).toBe(7);
});

test('frames.ts prints what it says', async () => {
  expect(await code.run('frames.ts')).toEqual(['calls, 21 bytes 1: increment(5)', 'answers, 6 bytes 1 = 5']);
});

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

interface Report {
  readonly message: string;
  readonly assertionResults: readonly { readonly failureMessages: readonly string[] }[];
}
