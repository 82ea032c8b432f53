import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import type { Commit } from '../environment/history.ts';
import { bundleClient, SOURCES } from '../load/client-bundle.ts';

/** What a state of the code needs beside the packages that it has from the registry. */
const OWN_PACKAGES = '@lumenize';
const ENTRY = "export { connect } from '@lumenize/rpc';\n";

/** The client and the Worker of an earlier commit, bundled. */
export interface EarlierCode {
  readonly worker: string;
  /** A module with the client's `connect`. */
  readonly client: string;
}

/** Returns the commit that `name` stands for. Throws where git knows none of that name. */
export function commitNamed(name: string): Commit {
  try {
    const [hash, subject] = git('log', '-1', '--format=%h%n%s', `${name}^{commit}`).toString().trim().split('\n');
    return { hash, subject };
  } catch {
    throw new Error(`git knows no commit called ${name} here`);
  }
}

/**
 * Bundles the client and the Worker at `main` as they were at a commit, in `directory`, with the packages of the
 * registry that are installed now.
 */
export async function bundleEarlier(hash: string, main: string, directory: string): Promise<EarlierCode> {
  const code = join(directory, 'code');
  const [worker, client] = [join(directory, 'earlier-worker'), join(directory, 'earlier-client')];
  for (const each of [code, worker, client]) mkdirSync(each, { recursive: true });
  extract(hash, code);
  installIn(code);
  const entry = join(code, 'connect.ts');
  writeFileSync(entry, ENTRY);
  return {
    worker: await bundleWorker(join(code, relative(ROOT, main)), worker, SOURCES),
    client: await bundleClient(entry, client, SOURCES),
  };
}

function extract(hash: string, directory: string): void {
  const archive = git('archive', '--format=tar', hash, 'packages', 'examples', 'tsconfig.base.json');
  const { status, stderr } = spawnSync('tar', ['-x', '-C', directory], { input: archive });
  if (status !== 0) throw new Error(`the code of ${hash} cannot be unpacked: ${stderr}`);
}

/** Has the code find its own packages, and all others where they are installed. */
function installIn(code: string): void {
  const [installed, modules] = [join(ROOT, 'node_modules'), join(code, 'node_modules')];
  mkdirSync(join(modules, OWN_PACKAGES), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name !== OWN_PACKAGES && !name.startsWith('.')) symlinkSync(join(installed, name), join(modules, name));
  }
  for (const name of readdirSync(join(code, 'packages'))) {
    const own = join(code, 'packages', name);
    if (existsSync(join(own, 'package.json'))) symlinkSync(own, join(modules, OWN_PACKAGES, name));
  }
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 28 });
}
