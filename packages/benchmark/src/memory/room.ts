import { readOpenFiles } from '@lumenize/hosts/process-memory';

/** Files that a process has open beside its connections, and those that workerd has for each. */
const OTHERS = 200;
const FOR_EACH = 2;

/** What this machine lets us measure. */
export interface Room {
  /** The most connections at once, each of which takes two file descriptors of workerd and one of the client. */
  readonly connections: number;
  readonly openFilesLimit: number;
}

/** Returns how much room there is; undefined where there is no `/proc` that says it. Servers inherit this process's limits. */
export async function roomHere(): Promise<Room | undefined> {
  try {
    const { limit } = await readOpenFiles(process.pid);
    return { connections: Math.max(0, Math.floor((limit - OTHERS) / FOR_EACH)), openFilesLimit: limit };
  } catch {
    // No Linux: the rows say so.
    return undefined;
  }
}
