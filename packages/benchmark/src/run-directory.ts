import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Lets `work` have a directory of its own, which is gone when it is done or this process ends. */
export async function withRunDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'benchmark-run-'));
  // A server that is about to be ended may still write there.
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  process.once('exit', remove);
  try {
    return await work(directory);
  } finally {
    process.off('exit', remove);
    remove();
  }
}
