import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** The resident memory of a process in bytes: the current amount, and the peak since it started. */
export interface ProcessMemory {
  readonly residentBytes: number;
  readonly peakBytes: number;
}

/**
 * Returns the id of the running `command` that was started with `argument`. Returns undefined if there is none, or if
 * the system is not Linux.
 */
export async function findProcess(command: string, argument: string): Promise<number | undefined> {
  for (const id of await readdir('/proc').catch(() => [])) {
    const line = (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (basename(line[0]) === command && line.includes(argument)) return Number(id);
  }
  return undefined;
}

/** Reads the memory of a process, as Linux reports it. Rejects if the process is gone. */
export async function readMemory(id: number): Promise<ProcessMemory> {
  const status = await readFile(`/proc/${id}/status`, 'utf8');
  const bytes = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { residentBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') };
}

/** Returns how many files and sockets a process has open, and how many it may open. */
export async function readOpenFiles(id: number): Promise<{ readonly open: number; readonly limit: number }> {
  const limits = await readFile(`/proc/${id}/limits`, 'utf8');
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  return {
    open: (await readdir(`/proc/${id}/fd`)).length,
    limit: soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft),
  };
}
