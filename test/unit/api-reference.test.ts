import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectFolder } from '../support/serve-counter.ts';

const run = promisify(execFile);

test('the API reference is what the docstrings make it, and none is missing; npm run tool -- reference writes it', {
  timeout: 60_000,
}, async () => {
  const { stdout } = await run(process.execPath, ['tools/reference/main.ts', '--check'], { cwd: projectFolder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
