import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const GUARD = fileURLToPath(new URL('./guard.ts', import.meta.url));

/** The number of characters of a server's output that are kept to explain a failure. */
const KEPT_OUTPUT = 20_000;
const STOP_TIMEOUT_MS = 10_000;

/** A server process that ends when this process does, however that happens. */
export class GuardedProcess {
  readonly #process: ChildProcess;
  #output = '';
  /** True if the process has ended and all of its output has been read. */
  #isOver = false;
  #heard = () => {};

  /** Starts `command`. Its file descriptor 3 is read as output too. `directory` is removed when the command ends. */
  constructor(
    directory: string,
    command: string,
    args: readonly string[],
    options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  ) {
    this.#process = spawn(process.execPath, [GUARD, directory, command, ...args], {
      ...options,
      // Runs in a process group of its own, so that Ctrl-C does not end the guard before it has cleaned up.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    const [, stdout, stderr, control] = this.#process.stdio as unknown as [unknown, Readable, Readable, Readable];
    for (const stream of [stdout, stderr, control]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
        this.#heard();
      });
    }
    this.#process.once('close', () => {
      this.#isOver = true;
      this.#heard();
    });
  }

  /**
   * Resolves with the first match of `pattern` in the lines that the command prints. If there is none within
   * `timeoutMs`, it ends the command and rejects.
   */
  async find(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const timer = setTimeout(() => reject(new Error(`nothing matched ${pattern} within ${timeoutMs} ms`)), timeoutMs);
    this.#heard = () => {
      const match = pattern.exec(this.#output);
      // A match at the end of the output may be only a part of a line.
      if (match && (this.#isOver || match.index + match[0].length < this.#output.length)) resolve(match);
      else if (this.#isOver) reject(new Error('the process has ended'));
    };
    this.#heard();
    try {
      return await promise;
    } catch (cause) {
      await this.stop();
      throw new Error(`the server did not start; its output was:\n${this.#output}`, { cause });
    } finally {
      this.#heard = () => {};
      clearTimeout(timer);
    }
  }

  /** Ends the command and all processes that it started. Resolves when they are gone. */
  async stop(): Promise<void> {
    if (this.#ended) return;
    const exited = once(this.#process, 'exit');
    this.#process.stdin!.end();
    // The guard only has to end a group and remove a directory. If it hangs, a run must not wait for it.
    const overdue = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(overdue);
  }

  get #ended(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }
}
