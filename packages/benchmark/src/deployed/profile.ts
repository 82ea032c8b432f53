import { CONTROL, REMOTE_ARMS } from '../blocks/arms.ts';
import type { Profile } from '../blocks/profiles.ts';
import { expectOneOf, narrowed } from '../blocks/selection.ts';
import type { Extent } from '../families/family.ts';
import { REMOTE_SCENARIOS } from '../scenarios/remote.ts';
import type { SubjectName } from '../subjects/subject.ts';
import type { Served } from './served.ts';

/** Those of the counter's Worker. */
export const DEPLOYED_SUBJECTS = [
  'lumenize',
  'lumenize-accept',
  'capnweb',
  'raw',
  'raw-accept',
] as const satisfies readonly SubjectName[];

/** How often is left to the time: round trips there take as long as they take. */
const MOST_ROUNDS = 30;
const LAUNCHES = 3;
const LIMIT_MS = 45_000;
const BUDGET_MS = 150_000;
const LATEST_MS = 180_000;

/** Returns the subjects that are wanted, or the default; throws where there is no such subject. */
export function deployedSubjects(subjects: readonly string[] | undefined): SubjectName[] {
  if (!subjects) return REMOTE_ARMS.map(({ subject }) => subject);
  return subjects.map((each) => expectOneOf('subject of a deployed Worker', each, DEPLOYED_SUBJECTS));
}

/** The scenarios that need methods which only the Worker of the family *pipeline* has. */
export const needsPipeline = (scenario: string) => scenario.startsWith('remote/chain');

/** What is measured of a Worker that serves so much. */
export function deployedProfile(extent: Extent, subjects: readonly SubjectName[], { pipeline }: Served): Profile {
  const arms = subjects.map((subject) => ({ id: subject, subject }));
  const quick = extent === 'quick';
  const names = REMOTE_SCENARIOS.map(({ name }) => name).filter((name) => pipeline || !needsPipeline(name));
  return {
    sizes: false,
    warmUp: !quick,
    countFrames: names,
    budgetMs: BUDGET_MS,
    latestMs: LATEST_MS,
    hosts: [
      {
        host: 'deployed',
        launches: quick ? 1 : LAUNCHES,
        limitMs: LIMIT_MS,
        // One block each: more of them would wait for the network, and the server is warm or cold as it is.
        warmUpLimitMs: 0,
        scenarios: narrowed(
          names.map((scenario) => ({
            scenario,
            arms: [...arms, CONTROL],
            rounds: quick ? 1 : MOST_ROUNDS,
            leading: 2,
            mirrored: false,
          })),
          arms.map(({ id }) => id),
        ),
      },
    ],
  };
}
