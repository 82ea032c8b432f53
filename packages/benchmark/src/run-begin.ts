import { readGitState } from './environment/git.ts';
import { describeEnvironment, type Environment } from './environment/machine.ts';
import type { RecordHead } from './run-record.ts';

/** What is noted when a run begins, before anything of it loads the machine. */
export interface RunBegin {
  /** When it began, as `performance.now()` tells it. */
  readonly begun: number;
  readonly commitSubject: string;
  /** What the run says of itself when it is over. */
  head(profile: string, seed: number): RecordHead;
}

/** Begins a run; `more` is what its environment has beside what every run's has. */
export function beginRun(more: Partial<Environment> = {}): RunBegin {
  const takenAt = new Date();
  const { commit, dirty, subject } = readGitState();
  const environment = { ...describeEnvironment(), ...more };
  const begun = performance.now();
  return {
    begun,
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
