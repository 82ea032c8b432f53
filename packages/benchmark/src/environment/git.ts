import { execFileSync } from 'node:child_process';
import { ROOT } from '@lumenize/hosts/root';

/** The state of the working tree that a run measures. */
export interface GitState {
  /** Short hash of the last commit; `none` before the first. */
  readonly commit: string;
  /** Whether the tree differs from that commit, the log's own files aside. */
  readonly dirty: boolean;
  /** Subject of the last commit. */
  readonly subject: string;
}

/** What earlier runs wrote says nothing about the code that this one measures. */
const NOT_MEASURED = ['MEASUREMENTS.md', 'measurements', 'README.md', 'docs/benchmarks.md'].map(
  (path) => `:(exclude)${path}`,
);

/** Reads the state of the tree; call it before the code to be measured is bundled. */
export function readGitState(): GitState {
  const commit = git('rev-parse', '--short', 'HEAD');
  return {
    commit: commit ?? 'none',
    dirty: commit === undefined || git('status', '--porcelain', '--', '.', ...NOT_MEASURED) !== '',
    subject: (commit && git('log', '-1', '--format=%s')) || 'Before the first commit',
  };
}

/** Returns the subjects of the commits after `commit`, oldest first; `undefined` where that commit is not an ancestor. */
export function subjectsSince(commit: string): string[] | undefined {
  if (git('merge-base', '--is-ancestor', commit, 'HEAD') === undefined) return undefined;
  return git('log', '--reverse', '--format=%h %s', `${commit}..HEAD`)?.split('\n').filter(Boolean);
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // No repository, no commit yet or an unknown hash: the caller says what that means.
    return undefined;
  }
}
