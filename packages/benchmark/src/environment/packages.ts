import { readFileSync } from 'node:fs';
import { installedVersion } from '@lumenize/hosts/installed';

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
  const manifest: Manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const wanted = manifest.dependencies?.[name];
  const found = installedVersion(name);
  if (found !== wanted)
    throw new Error(`${name} ${found} is installed, but the benchmark asks for ${wanted}; run npm ci`);
}
