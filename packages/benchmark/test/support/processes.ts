import { execFileSync } from 'node:child_process';

/** The processes that `pid` has started, and those that they have. */
export function descendants(pid: number): number[] {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const children = all.filter(([, parent]) => Number(parent) === pid).map(([child]) => Number(child));
  return [...children, ...children.flatMap(descendants)];
}

/** Those of `pids` that still run; what has ended and waits for its parent to notice does not. */
export function running(pids: readonly number[]): number[] {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  const alive = all.map((line) => line.trim().split(/\s+/)).filter(([, state]) => !state.startsWith('Z'));
  return pids.filter((pid) => alive.some(([each]) => Number(each) === pid));
}
