import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Unit } from './units.ts';
import { HANGS } from './watchdog.ts';

/** The task of a child process: to plant a defect, and run what may notice it, from a seed on, until something fails. */
export interface Task {
  /** The defect's name. */
  readonly mutant: string;
  readonly firstSeed: number;
  /** Milliseconds of the processor, without loading. */
  readonly ms: number;
}

/** The outcome of a task. */
export interface Hunt {
  /** The first seed of which nothing was run. */
  readonly nextSeed: number;
  readonly runs: number;
  /** The unit that failed, and does not fail without the defect; and what is wrong with it. */
  readonly found?: { readonly unit: Unit; readonly wrong: string };
  /** Units that fail without a defect, too. */
  readonly failsAnyway: readonly Unit[];
}

const MAIN = fileURLToPath(new URL('./child-main.ts', import.meta.url));
const FLAGS = ['--conditions=@lumenize/source', '--no-warnings', '--unhandled-rejections=warn'];

/**
 * Has a process of its own do a task. A defect may keep it from ever ending, or end it: then it has been found all the same, if
 * only that.
 */
export function runChild(task: Task): Promise<Hunt> {
  const { promise, resolve, reject } = Promise.withResolvers<Hunt>();
  const child = spawn(process.execPath, [...FLAGS, MAIN, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERRORS);
  });
  child.on('error', reject).on('close', (code) => {
    const lines = output.trimEnd().split('\n');
    const last = lines.at(-1)!;
    if (code === 0 && last.startsWith('{"nextSeed"')) return resolve(JSON.parse(last) as Hunt);
    // It says what it begins with before it does.
    const begun = lines.findLast((line) => line.startsWith('{"seed"'));
    if (begun === undefined) return reject(new Error(`nothing can be run with ${task.mutant}: ${errors || code}`));
    const wrong = lines.includes(HANGS)
      ? 'it never comes to an end'
      : `the process ends: ${errors.trim().split('\n').at(-1)}`;
    const unit = JSON.parse(begun) as Unit;
    resolve({ nextSeed: unit.seed + 1, runs: 1, found: { unit, wrong }, failsAnyway: [] });
  });
  return promise;
}

const MAX_ERRORS = 2000;
