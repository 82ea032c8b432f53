import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Random, shuffled } from '@lumenize/hosts/random';
import { ROOT } from '@lumenize/hosts/root';
import type { TimedBlock } from '../statistics/pairs.ts';
import { IMPORT_CLIENT, IMPORT_SERVER } from './profile.ts';

/** A module that is imported, as it is installed. */
interface Imported {
  readonly scenario: string;
  readonly arm: string;
  readonly module: string;
}

const IMPORTED: readonly Imported[] = [
  { scenario: IMPORT_CLIENT, arm: 'lumenize', module: '@lumenize/rpc' },
  { scenario: IMPORT_CLIENT, arm: 'lumenize-again', module: '@lumenize/rpc' },
  { scenario: IMPORT_CLIENT, arm: 'capnweb', module: 'capnweb' },
  { scenario: IMPORT_SERVER, arm: 'lumenize', module: '@lumenize/rpc/server' },
  { scenario: IMPORT_SERVER, arm: 'lumenize-again', module: '@lumenize/rpc/server' },
  { scenario: IMPORT_SERVER, arm: 'capnweb', module: 'capnweb' },
];

const SCRIPT = `const begun = performance.now();
await import(process.argv[1]);
console.log(performance.now() - begun);`;

/**
 * Imports each module of these arms in a fresh process of Node, all of them once. The packages must have been built:
 * Node would else have to strip the types of our sources, which no user's does.
 */
export async function importOnce(arms: readonly string[], random: Random): Promise<TimedBlock[]> {
  const blocks: TimedBlock[] = [];
  for (const { scenario, arm, module } of shuffled(IMPORTED, random)) {
    if (!arms.includes(arm)) continue;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', SCRIPT, builtModule(module)],
      // Options meant for this process, such as a test runner's conditions, are not for that one.
      { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '' } },
    );
    blocks.push({ scenario, arm, round: 0, pass: 0, totalMs: Number(stdout) });
  }
  return blocks;
}

/** Where a module is without the condition that leads to our sources. */
function builtModule(module: string): string {
  const resolved = import.meta.resolve(module).replace(/\/src\/(.*)\.ts$/, '/dist/$1.js');
  if (!existsSync(fileURLToPath(resolved))) throw new Error(`${resolved} is not there; run npm run build`);
  return resolved;
}
