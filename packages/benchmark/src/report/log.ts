import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import type { RecordHead, RunRecord } from '../engine/record.ts';
import { subjectsSince } from '../environment.ts';
import { buildEntry } from './entry.ts';
import { runText } from './record.ts';

/** How a run is entered in the log. */
export interface EntryOptions {
  /** @default the subject of the commit */
  readonly title?: string | undefined;
  /** @default the subject of the commit */
  readonly description?: string | undefined;
  /** Allows an entry of a tree that differs from its commit. @default false */
  readonly allowDirty?: boolean | undefined;
}

const LOG = 'MEASUREMENTS.md';

/**
 * Throws where what was measured, or is about to be, is a tree that differs from its commit: nobody else could measure it
 * again. With `allowDirty` its entry is marked instead.
 */
export function assertLoggable({ dirty }: { readonly dirty: boolean }, allowDirty = false): void {
  if (!dirty || allowDirty) return;
  throw new Error(
    'the tree differs from its commit, and an entry of it could not be repeated: commit first, or allow it by ' +
      '--allow-dirty (MEASURE_ALLOW_DIRTY=1 with npm test)',
  );
}

/**
 * Writes a run's file and appends its entry to the log of the repository, or of another `root`. What is in the log stays
 * as it is. Returns where the run was written, relative to the root. Throws where the tree was dirty and may not have been.
 */
export function logRun(
  { record, commitSubject }: { readonly record: RunRecord; readonly commitSubject: string },
  { title, description, allowDirty }: EntryOptions,
  root: string = ROOT,
): { readonly log: string; readonly file: string } {
  assertLoggable(record, allowDirty);
  const file = fileName(record);
  const path = join(root, LOG);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const entry = buildEntry(record, {
    title: title || commitSubject,
    description: description || `The ${record.profile} profile at the commit “${commitSubject}”.`,
    changes: changesSinceEntry(lastHash(before), record.dirty),
    file,
  });
  replaceFile(join(root, file), runText(record));
  replaceFile(path, `${before.trimEnd()}\n\n---\n\n${entry}`);
  return { log: LOG, file };
}

function fileName(run: RecordHead): string {
  const time = run.takenAt.slice(0, 19).replaceAll(':', '-');
  return `measurements/${time}Z-${run.commit}${run.dirty ? '-dirty' : ''}.json`;
}

/** Returns the hash of the newest entry, without its mark of a dirty tree. */
function lastHash(log: string): string | undefined {
  return [...log.matchAll(/^\*\*Git Hash\*\*: (\w+)/gm)].at(-1)?.[1];
}

function changesSinceEntry(last: string | undefined, dirty: boolean): string[] {
  const notAncestor = [`The entry before was made at ${last}, which is not an ancestor of this commit`];
  const committed = last === undefined ? ['The first entry of this log'] : (subjectsSince(last) ?? notAncestor);
  const changes = [...committed, ...(dirty ? ['Changes that are not committed'] : [])];
  return changes.length > 0 ? changes : [`None since the entry before (${last})`];
}

/** Writes a file in one step, so that an interruption leaves the old one or the new one and nothing between. */
export function replaceFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}
