import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RecordHead } from '../run-record.ts';
import { buildEntry, type EntryTexts, type Told } from './entry.ts';

/** Where a run was written, relative to the root. */
export interface Written {
  readonly log: string;
  readonly file: string;
}

const LOG = 'MEASUREMENTS.md';
const SEPARATOR = '\n---\n\n';

/** Returns the name of a run's file: its time in UTC and the hash of what it measured. */
export function fileName(run: RecordHead): string {
  const time = run.takenAt.slice(0, 19).replaceAll(':', '-');
  return `measurements/${time}Z-${run.commit}${run.dirty ? '-dirty' : ''}.json`;
}

/** Returns the hash of the newest entry, without its mark of a dirty tree; `undefined` where there is no entry. */
export function lastHash(root: string): string | undefined {
  const path = join(root, LOG);
  if (!existsSync(path)) return undefined;
  const hashes = [...readFileSync(path, 'utf8').matchAll(/^\*\*Git Hash\*\*: (\w+)/gm)];
  return hashes.at(-1)?.[1];
}

/**
 * Writes a run's file and appends its entry to the log. What is in the log stays as it is, and each file is replaced in
 * one step, so that an interruption leaves the old one or the new one and nothing between.
 */
export function appendRun(root: string, run: Told, texts: Omit<EntryTexts, 'file'>): Written {
  const file = fileName(run.record);
  const log = join(root, LOG);
  const before = existsSync(log) ? readFileSync(log, 'utf8') : '';
  const entry = buildEntry(run, { ...texts, file });
  replace(join(root, file), `${JSON.stringify(run.record, null, 1)}\n`);
  replace(log, `${before.trimEnd()}\n${SEPARATOR}${entry}`);
  return { log: LOG, file };
}

function replace(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}
