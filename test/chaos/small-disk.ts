import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MEGABYTES = 1024;
/** Blocks that may have been written while the disk is made smaller. */
const MOST_ROOM = 50;

/** A file system in memory that can be full. Mounting takes root on Linux. */
export class SmallDisk implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Returns a new one; undefined where this process may not mount. */
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

  /** Leaves no room for anything, whatever is on it: as large as what it holds. */
  async fill(): Promise<void> {
    for (let room = 0; ; room++) {
      const { bsize, blocks, bfree } = await statfs(this.folder);
      try {
        return await this.#resize(`${(blocks - bfree + room) * bsize}`);
      } catch (cause) {
        // More has been written in between: then what it takes is a little more.
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
