import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Unit } from './units.ts';
import { HANGS } from './watchdog.ts';

/** The task of a child process: to plant a defect, and to run units from a seed on until one fails. */
export interface Task {
  /** The name of the defect. */
  readonly mutant: string;
  readonly firstSeed: number;
  /** The processor time in milliseconds, without the time to load. */
  readonly ms: number;
}

/** The outcome of a task. */
export interface Hunt {
  /** The first seed of which no unit was run. */
  readonly nextSeed: number;
  readonly runs: number;
  /** The unit that fails only with the defect, and its fault. */
  readonly found?: { readonly unit: Unit; readonly wrong: string };
  /** The units that also fail without a defect. */
  readonly failsAnyway: readonly Unit[];
}

const MAIN = fileURLToPath(new URL('./child-main.ts', import.meta.url));
const FLAGS = ['--conditions=@lumenize/source', '--no-warnings', '--unhandled-rejections=warn'];

/**
 * Runs a task in a process of its own. A defect may keep the process from ending, or make it end. In both cases the
 * defect has been found.
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
    // The process prints each unit before it begins with it.
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
