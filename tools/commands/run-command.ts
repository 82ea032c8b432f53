import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Variables of the environment that a command gets beside those of this process. */
export type Environment = Readonly<Record<string, string>>;

/** Runs a command in the root of the repository, with this process's input and output. Resolves with its exit code. */
export async function runCommand(command: string, args: readonly string[], env?: Environment): Promise<number> {
  const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
  // A terminal tells both of Ctrl-C; whoever ends this process alone means the command.
  const pass = () => child.kill('SIGTERM');
  const wait = () => {};
  process.on('SIGTERM', pass).on('SIGINT', wait);
  try {
    const [code] = await once(child, 'exit');
    return code ?? 1;
  } finally {
    process.off('SIGTERM', pass).off('SIGINT', wait);
  }
}

/** Runs commands one after the other, up to the first that fails. Resolves with the exit code of the last one that ran. */
export async function runCommands(
  commands: readonly (readonly [command: string, ...args: string[]])[],
  env?: Environment,
): Promise<number> {
  for (const [command, ...args] of commands) {
    const code = await runCommand(command, args, env);
    if (code !== 0) return code;
  }
  return 0;
}

/** Builds everything. */
export const BUILD = ['npm', 'run', '--silent', 'build'] as const;
