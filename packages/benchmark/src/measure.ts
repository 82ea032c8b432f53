import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { subjectsSince } from './environment/git.ts';
import type { Family, FamilyContext } from './families/family.ts';
import { type FinishedRun, runFamilies } from './families/run-families.ts';
import { appendRun, lastHash, type Written } from './log/append.ts';
import { assertLoggable } from './log/assert-loggable.ts';
import { previousSection } from './log/previous/section.ts';
import { showProgress } from './progress.ts';
import { readRecorded } from './recorded/read-recorded.ts';

/** How a measured run is entered in the log. */
export interface EntryOptions {
  /** @default the subject of the last commit */
  readonly title?: string | undefined;
  /** @default the subject of the last commit */
  readonly description?: string | undefined;
  /** Whether there may be an entry of a tree that differs from its commit. @default false */
  readonly allowDirty?: boolean | undefined;
}

/** Measures families with a seed of the moment, under the name of a profile, and shows how far it has come. */
export function measure(
  profile: string,
  families: readonly Family[],
  context: Omit<FamilyContext, 'seed' | 'progress'>,
): Promise<FinishedRun> {
  return runFamilies(profile, families, { ...context, seed: seedOfNow(), progress: showProgress() });
}

/** Appends a run to the log of the repository, or of another `root`, and writes its file. Throws where the tree was dirty and may not have been. */
export function logRun(
  { record, parts, commitSubject }: FinishedRun,
  { title, description, allowDirty }: EntryOptions,
  root: string = ROOT,
): Written {
  assertLoggable(record, allowDirty);
  const texts = {
    title: title || commitSubject,
    description: description || `The ${record.profile} profile at the commit “${commitSubject}”.`,
    changes: changesSinceLastEntry(root, record.dirty),
    earlier: previousSection(record, readRecorded(join(root, 'measurements'))),
  };
  return appendRun(root, { record, parts }, texts);
}

function seedOfNow(): number {
  return Math.floor(Date.now() / 1000) % 1_000_000;
}

function changesSinceLastEntry(root: string, dirty: boolean): string[] {
  const last = lastHash(root);
  const since = last === undefined ? undefined : subjectsSince(last);
  const committed =
    last === undefined
      ? ['The first entry of this log']
      : (since ?? [`The entry before was made at ${last}, which is not an ancestor of this commit`]);
  const uncommitted = dirty ? ['Changes that are not committed'] : [];
  const changes = [...committed, ...uncommitted];
  return changes.length > 0 ? changes : [`None since the entry before (${last})`];
}
