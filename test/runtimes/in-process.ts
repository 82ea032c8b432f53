import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundlePage } from '../support/bundle-page.ts';
import type { Runtime, RuntimeResult } from './runtimes.ts';

const execute = promisify(execFile);
/** Every case may fail with a long stack. */
const MAX_OUTPUT_BYTES = 64 << 20;

/** A command of an npm package, which `npm exec` keeps outside the project. */
export interface NpmCommand {
  readonly name: string;
  readonly command: string;
  /** With its version, such as `bun@1.4.5`. */
  readonly npmPackage: string;
  readonly options: readonly string[];
}

/** A runtime that is a process. */
export function inProcess({ name, command, npmPackage, options }: NpmCommand): Runtime {
  const start = (args: readonly string[], mayDownload = false) =>
    execute(
      'npm',
      [
        'exec',
        mayDownload ? '--prefer-offline' : '--offline',
        '--yes',
        `--package=${npmPackage}`,
        '--',
        command,
        ...args,
      ],
      // Elsewhere than in the project, whose own packages would be taken.
      { maxBuffer: MAX_OUTPUT_BYTES, cwd: tmpdir() },
    );
  return {
    name,
    async missing(mayDownload) {
      try {
        await start(['--version'], mayDownload);
        return undefined;
      } catch {
        return mayDownload
          ? `npm could not get ${npmPackage}`
          : `npm's cache has no ${npmPackage}; npm run tool -- runtimes --install puts it there`;
      }
    },
    async run(origin, parts) {
      const folder = await mkdtemp(join(tmpdir(), 'lumenize-runtime-'));
      try {
        const script = join(folder, 'contract.mjs');
        const built = { format: 'esm', keepNames: true, target: 'es2022' } as const;
        await writeFile(script, await bundlePage('contract-process.ts', built));
        const { stdout: version } = await start(['--version']);
        const { stdout } = await start([...options, script, origin, JSON.stringify(parts)]);
        const lines = stdout.split('\n').filter((line) => line.startsWith('{"part"'));
        return {
          version: /\d[\d.]+/.exec(version)![0],
          results: lines.map((line): RuntimeResult => JSON.parse(line)),
        };
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  };
}
