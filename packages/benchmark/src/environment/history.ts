import { execFileSync } from 'node:child_process';
import { ROOT } from '@lumenize/hosts/root';

/** The code whose speed is measured: the libraries, and the Workers that both of them run in. */
const MEASURED = [
  'packages/rpc/src',
  'packages/structured-clone/src',
  'examples/counter/src',
  'packages/benchmark/worker',
];

/** A commit, as it is spoken of. */
export interface Commit {
  /** Short hash. */
  readonly hash: string;
  readonly subject: string;
}

/** What git knows of how the code measured came about. */
export interface History {
  /** Why it knows nothing: there is no repository, or the clone is shallow. */
  readonly missing?: string;
  /** Returns the last commit up to `commit` that changed the code measured; `undefined` where it does not know that commit. */
  lastChange(commit: string): Commit | undefined;
  /** Says whether `commit` is a strict ancestor of `other`; `undefined` where it does not know one of them. */
  isBefore(commit: string, other: string): boolean | undefined;
}

/** Reads the history of the repository, or of another at `root`. */
export function readHistory(root: string = ROOT): History {
  const git = (...args: string[]): string | undefined => {
    try {
      return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      // No repository, or a hash that it does not know: the caller says what that means.
      return undefined;
    }
  };
  const hashes = new Map<string, string | undefined>();
  const full = (commit: string) => {
    if (!hashes.has(commit)) hashes.set(commit, git('rev-parse', '--verify', '--quiet', `${commit}^{commit}`));
    return hashes.get(commit);
  };
  const shallow = git('rev-parse', '--is-shallow-repository');
  return {
    ...(shallow === undefined && { missing: 'there is no git repository here' }),
    ...(shallow === 'true' && { missing: 'this clone of the repository is shallow' }),
    lastChange(commit) {
      const known = full(commit);
      const last = known && git('log', '-1', '--format=%h %s', known, '--', ...MEASURED);
      if (!last) return undefined;
      const [hash] = last.split(' ', 1);
      return { hash, subject: last.slice(hash.length + 1) };
    },
    isBefore(commit, other) {
      const [a, b] = [full(commit), full(other)];
      if (!a || !b) return undefined;
      return a !== b && git('merge-base', '--is-ancestor', a, b) !== undefined;
    },
  };
}
