import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { installedVersion } from '@lumenize/hosts/installed';
import { CODEC_PACKAGES, type CodecPackage } from './packages.ts';

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
