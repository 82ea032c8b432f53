import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { installedVersion } from '@lumenize/hosts/installed';
import { ROOT } from '@lumenize/hosts/root';

/** Where a run took place and with which versions. */
export interface Environment {
  readonly cpu: string;
  readonly cores: number;
  readonly os: string;
  /** Load average of the last minute: near 0 on a machine that does nothing else. */
  readonly loadBefore: number;
  readonly node: string;
  readonly workerd: string;
  readonly wrangler: string;
  readonly capnweb: string;
}

/** Describes this machine and what is installed, without names or paths that belong to its owner. */
export function describeEnvironment(): Environment {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    os: `${type()} ${release()}`,
    loadBefore: loadavg()[0],
    node: process.versions.node,
    workerd: installedVersion('workerd'),
    wrangler: installedVersion('wrangler'),
    capnweb: installedVersion('capnweb'),
  };
}

/** Returns the versions of the codecs that the values family compares with. */
export function codecVersions(): Record<CodecPackage, string> {
  const versions = CODEC_PACKAGES.map((name) => [name, installedVersion(name)]);
  return Object.fromEntries(versions) as Record<CodecPackage, string>;
}

/** The packages whose versions a run depends on. */
export type PackageName = 'capnweb' | 'esbuild' | 'wrangler' | 'workerd' | CodecPackage;

/** The packages of the codecs that the values family compares with. */
export type CodecPackage = 'cbor-x' | 'devalue' | 'msgpackr' | 'seroval' | 'superjson';

/** All of them. */
export const CODEC_PACKAGES: readonly CodecPackage[] = ['cbor-x', 'devalue', 'msgpackr', 'seroval', 'superjson'];

interface Manifest {
  readonly dependencies?: Record<string, string>;
}

/** Throws unless the installed version of a peer is the one that this package asks for. */
export function assertPinned(name: PackageName): void {
  const manifest: Manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const wanted = manifest.dependencies?.[name];
  const found = installedVersion(name);
  if (found !== wanted)
    throw new Error(`${name} ${found} is installed, but the benchmark asks for ${wanted}; run npm ci`);
}

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
