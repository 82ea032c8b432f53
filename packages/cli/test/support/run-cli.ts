import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url).href);

/** Where processes keep what they have compiled, for the next one: some fifty are started. */
const COMPILED = fileURLToPath(new URL('../../../../node_modules/.cache/lumenize-cli', import.meta.url).href);

export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** What is there around a process: its variables, and what becomes of the pipes between it and whoever started it. */
interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** Whoever writes the input may go on, and does not. */
  readonly leaveOpen?: boolean;
  /** Whoever reads the output has enough after the first of it. */
  readonly stopReading?: boolean;
  /** Nobody reads what is said about errors and frames. */
  readonly stderrClosed?: boolean;
  /** Ctrl-C is pressed once there is something about errors, frames or progress. */
  readonly interrupt?: boolean;
}

/** Runs the command line as a process of its own; `input` are the lines that somebody types. */
export function runCli(
  args: readonly string[],
  input: readonly string[] = [],
  { env, leaveOpen, stopReading, stderrClosed, interrupt }: Surroundings = {},
): Promise<Run> {
  const child = spawn(process.execPath, ['--conditions=@lumenize/source', '--no-warnings', main, ...args], {
    env: {
      ...process.env,
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      TERM: 'dumb',
      NODE_REPL_HISTORY: '',
      NODE_COMPILE_CACHE: COMPILED,
      ...env,
    },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
    if (stopReading) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
    if (interrupt) child.kill('SIGINT');
  });
  if (stderrClosed) child.stderr.destroy();
  child.stdin.write(input.map((line) => `${line}\n`).join(''));
  if (!leaveOpen) child.stdin.end();
  return new Promise((resolve) => child.on('close', (exitCode) => resolve({ ...output, exitCode })));
}
