import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageDirectory } from '@lumenize/hosts/installed';
import { ROOT } from '@lumenize/hosts/root';
import type { SizeFigure } from './size-figure.ts';

/** The packages that a user of each subject has installed. */
const PACKAGES = {
  lumenize: () => [join(ROOT, 'packages/rpc'), join(ROOT, 'packages/structured-clone')],
  capnweb: () => [packageDirectory('capnweb')],
} as const;

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

/** Returns what a subject's packages take when they are installed and when they are packed, as npm would publish them. */
export async function measurePackageSize(subject: keyof typeof PACKAGES): Promise<SizeFigure> {
  const packed = await Promise.all(PACKAGES[subject]().map(pack));
  const sum = (of: keyof Packed) => packed.reduce((total, each) => total + each[of], 0);
  return {
    family: 'size',
    scenario: 'package',
    subject,
    host: 'node',
    unit: 'B',
    value: sum('unpackedSize'),
    n: 1,
    detail: { packedBytes: sum('size'), files: sum('entryCount') },
  };
}

/** Cap'n Web's installed directory is what its archive had in it, so that one instrument serves both. */
async function pack(directory: string): Promise<Packed> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: directory,
    // What npm was told by whoever started this, such as a workspace, is not meant for this one.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(config|package)_/i.test(name))),
  });
  const parsed = JSON.parse(stdout) as readonly Packed[] | Readonly<Record<string, Packed>>;
  return Object.values(parsed)[0];
}
