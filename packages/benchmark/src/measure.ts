import { subjectsSince } from './environment/git.ts';
import { appendRun, lastHash, type Written } from './log/append.ts';
import { assertLoggable } from './log/assert-loggable.ts';
import type { Profile } from './profiles.ts';
import { showProgress } from './progress.ts';
import { ROOT } from './root.ts';
import { type FinishedRun, run } from './run.ts';
import type { ValuesProfile } from './values/profile.ts';
import { type FinishedValuesRun, runValues } from './values/run-values.ts';

/** How a measured run is entered in the log. */
export interface EntryOptions {
  /** @default the subject of the last commit */
  readonly title?: string | undefined;
  /** @default the subject of the last commit */
  readonly description?: string | undefined;
  /** Whether there may be an entry of a tree that differs from its commit. @default false */
  readonly allowDirty?: boolean | undefined;
}

/** Measures a profile with a seed of the moment and shows how far it has come. */
export function measure(profile: Profile): Promise<FinishedRun> {
  return run(profile, seedOfNow(), showProgress());
}

/** Measures codecs in the same way. */
export function measureValues(profile: ValuesProfile): Promise<FinishedValuesRun> {
  return runValues(profile, seedOfNow(), showProgress());
}

/** Appends a run to the log of the repository, or of another `root`, and writes its file. Throws where the tree was dirty and may not have been. */
export function logRun(
  { record, commitSubject }: FinishedRun | FinishedValuesRun,
  { title, description, allowDirty }: EntryOptions,
  root: string = ROOT,
): Written {
  assertLoggable(record, allowDirty);
  return appendRun(root, record, {
    title: title || commitSubject,
    description: description || `The ${record.profile} profile at the commit “${commitSubject}”.`,
    changes: changesSinceLastEntry(root, record.dirty),
  });
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
