import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishedPackages } from '../../../../tools/bundle/published-packages.ts';
import { pack } from '../../../../tools/release/pack.ts';
import type { HouseRow } from './house-row.ts';

/** Packs `@lumenize/rpc` as it has been built, and measures what its users download and install. */
export async function packedRows(): Promise<readonly HouseRow[]> {
  const rpc = publishedPackages().find(({ name }) => name === '@lumenize/rpc')!;
  const folder = await mkdtemp(join(tmpdir(), 'lumenize-weigh-'));
  try {
    const { size, unpackedSize, files } = await pack(rpc, folder);
    return [
      { what: 'packed @lumenize/rpc: bytes', must: 250_000, before: 970_000, ceiling: 250_000, now: size },
      {
        ...{ what: 'packed @lumenize/rpc: bytes, installed', must: 1_000_000, before: 5_500_000, ceiling: 1_000_000 },
        now: unpackedSize,
      },
      { what: 'packed @lumenize/rpc: files', must: 80, before: 665, ceiling: 80, now: files.length },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}
