import { readGitState } from './environment/git.ts';
import { describeEnvironment } from './environment/machine.ts';
import type { RecordHead } from './run-record.ts';

/** What is noted when a run begins, before anything of it loads the machine. */
export interface RunBegin {
  readonly commitSubject: string;
  /** What the run says of itself when it is over. */
  head(profile: string, seed: number): RecordHead;
}

/** Begins a run. */
export function beginRun(): RunBegin {
  const takenAt = new Date();
  const { commit, dirty, subject } = readGitState();
  const environment = describeEnvironment();
  const begun = performance.now();
  return {
    commitSubject: subject,
    head: (profile, seed) => ({
      schema: 1,
      takenAt: takenAt.toISOString(),
      commit,
      dirty,
      profile,
      seed,
      durationMs: performance.now() - begun,
      environment,
    }),
  };
}
