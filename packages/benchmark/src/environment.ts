import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { installedVersion } from '@lumenize/hosts/installed';
import { ROOT } from '@lumenize/hosts/root';

/** The machine of a run, and its versions. */
export type Environment = Readonly<ReturnType<typeof describeEnvironment>>;

/** Describes this machine and its installed versions, without names or paths that belong to its owner. */
export function describeEnvironment() {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    os: `${type()} ${release()}`,
    /** The load average of the last minute. It is near 0 if the machine does nothing else. */
    loadBefore: loadavg()[0],
    node: process.versions.node,
    workerd: installedVersion('workerd'),
    wrangler: installedVersion('wrangler'),
    capnweb: installedVersion('capnweb'),
  };
}

/** The packages of the codecs that the values family compares. */
export const CODEC_PACKAGES = ['cbor-x', 'devalue', 'msgpackr', 'seroval', 'superjson'] as const;

/** Returns the versions of these packages. */
export function codecVersions(): Record<string, string> {
  return Object.fromEntries(CODEC_PACKAGES.map((name) => [name, installedVersion(name)]));
}

/** Throws unless the installed version of a peer is the one that this package requires. */
export function assertPinned(name: string): void {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const wanted: string | undefined = manifest.dependencies[name];
  const found = installedVersion(name);
  if (found !== wanted)
    throw new Error(`${name} ${found} is installed, but the benchmark asks for ${wanted}; run npm ci`);
}

/** The state of the working tree that a run measures. */
export type GitState = Readonly<ReturnType<typeof readGitState>>;

/** Files that earlier runs wrote. They are not part of the measured code. */
const NOT_MEASURED = ['MEASUREMENTS.md', 'measurements', 'README.md', 'docs/benchmarks.md'].map(
  (path) => `:(exclude)${path}`,
);

/** Reads the state of the tree. Call it before the code to measure is bundled. */
export function readGitState() {
  const commit = git('rev-parse', '--short', 'HEAD');
  return {
    /** The short hash of the last commit; `none` before the first. */
    commit: commit ?? 'none',
    /** True if the tree differs from that commit, not counting the files of the log. */
    dirty: commit === undefined || git('status', '--porcelain', '--', '.', ...NOT_MEASURED) !== '',
    /** The subject of the last commit. */
    subject: (commit && git('log', '-1', '--format=%s')) || 'Before the first commit',
  };
}

/**
 * Returns the subjects of the commits after `commit`, oldest first, or `undefined` if that commit is not an ancestor.
 */
export function subjectsSince(commit: string): string[] | undefined {
  if (git('merge-base', '--is-ancestor', commit, 'HEAD') === undefined) return undefined;
  return git('log', '--reverse', '--format=%h %s', `${commit}..HEAD`)?.split('\n').filter(Boolean);
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // There is no repository, no commit yet, or the hash is unknown. The calling function decides what that means.
    return undefined;
  }
}
