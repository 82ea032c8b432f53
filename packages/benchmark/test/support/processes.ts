import { execFileSync } from 'node:child_process';

/** All processes there are: the id of each, of its parent, and its state. */
function all(): string[][] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => line.trim().split(/\s+/));
}

/** The processes that `pid` has started, and those that they have. */
export function descendants(pid: number, known = all()): number[] {
  const children = known.filter(([, parent]) => Number(parent) === pid).map(([child]) => Number(child));
  return [...children, ...children.flatMap((child) => descendants(child, known))];
}

/** Those of `pids` that still run; what has ended and waits for its parent to notice does not. */
export function running(pids: readonly number[]): number[] {
  const alive = new Set(all().flatMap(([pid, , state]) => (state.startsWith('Z') ? [] : [Number(pid)])));
  return pids.filter((pid) => alive.has(pid));
}
