import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FLAGS = ['--conditions=@lumenize/source', '--disable-warning=ExperimentalWarning'];

/** Runs a script in a process of its own, since modules cannot be loaded in two copies within Vitest; returns what it prints as JSON. */
export async function runScript<Printed>(script: string, ...args: string[]): Promise<Printed> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await promisify(execFile)('node', [...FLAGS, path, ...args], { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as Printed;
}
