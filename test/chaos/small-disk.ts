import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MEGABYTES = 1024;
/** Number of blocks that may be written while the disk is made smaller. */
const MOST_ROOM = 50;

/** A file system in memory that can be full. Mounting needs root on Linux. */
export class SmallDisk implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Mounts a disk. Returns undefined if this process may not mount. */
  static async mount(): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'lumenize-disk-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m`, 'tmpfs', folder]);
      return new SmallDisk(folder);
    } catch {
      await rm(folder, { recursive: true });
      return undefined;
    }
  }

  /** Makes the disk as large as its content, so that nothing more fits. */
  async fill(): Promise<void> {
    for (let room = 0; ; room++) {
      const { bsize, blocks, bfree } = await statfs(this.folder);
      try {
        return await this.#resize(`${(blocks - bfree + room) * bsize}`);
      } catch (cause) {
        // Meanwhile more was written, so the disk has to be a little larger.
        if (room === MOST_ROOM) throw new Error('the disk could not be made as small as what it holds', { cause });
      }
    }
  }

  free(): Promise<void> {
    return this.#resize(`${MEGABYTES}m`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', ['--lazy', this.folder]);
    await rm(this.folder, { recursive: true });
  }

  async #resize(size: string): Promise<void> {
    await run('mount', ['-o', `remount,size=${size}`, this.folder]);
  }
}
