import { CONTROL, MAIN_ARMS, PLAIN_ARMS } from '../blocks/arms.ts';
import type { Profile } from '../blocks/profiles.ts';
import { expectOneOf, narrowed } from '../blocks/selection.ts';
import type { FamilyContext } from '../families/family.ts';
import type { HostName } from '../hosts/host.ts';
import type { ScenarioPlan } from '../load/plan.ts';
import { THROUGHPUT_SCENARIOS } from '../scenarios/all.ts';
import { closedLoopName } from '../scenarios/closed-loop.ts';

export const THROUGHPUT_HOSTS = ['workerd', 'wrangler-dev'] as const satisfies readonly HostName[];
export const THROUGHPUT_ARMS = [
  ...MAIN_ARMS.filter(({ id }) => ['lumenize', 'capnweb', 'raw'].includes(id)),
  ...PLAIN_ARMS,
];

/** What is compared; the other numbers of calls in flight look for the most calls within the objective. */
const ONE = closedLoopName(20, 1);
const EIGHT = closedLoopName(20, 8);

/** Several in flight, of every subject in a second. */
const TWO = closedLoopName(20, 2);

interface Times extends Pick<Profile, 'budgetMs' | 'latestMs'> {
  readonly launches: number;
  readonly limitMs: number;
  readonly rounds: Readonly<Record<string, number>>;
  readonly fewRounds: number;
}

/**
 * At 2800 calls a second, which is about what durable writes of one object come to, each subject has 30 s with one call in
 * flight where it is measured alone, and 6 s in the whole.
 */
const EXTENTS: Readonly<Record<'alone' | 'whole', Times>> = {
  alone: {
    launches: 6,
    rounds: { [ONE]: 14, [EIGHT]: 4 },
    fewRounds: 2,
    limitMs: 36_000,
    budgetMs: 210_000,
    latestMs: 240_000,
  },
  whole: {
    launches: 3,
    rounds: { [ONE]: 6, [EIGHT]: 3 },
    fewRounds: 1,
    limitMs: 25_000,
    budgetMs: 80_000,
    latestMs: 95_000,
  },
};

/** What is measured of throughput. Throws where no such subject or host is in it. */
export function throughputProfile({ extent, subjects, hosts = ['workerd'] }: FamilyContext): Profile {
  const known = THROUGHPUT_ARMS.map(({ id }) => id);
  for (const subject of subjects ?? []) expectOneOf('subject of the family throughput', subject, known);
  const names = hosts.map((host) => expectOneOf('host', host, THROUGHPUT_HOSTS));
  if (extent === 'quick') return quickProfile();
  const { launches, rounds, fewRounds, limitMs, budgetMs, latestMs } = EXTENTS[extent];
  const scenarios = narrowed(
    THROUGHPUT_SCENARIOS.map(({ name }): ScenarioPlan => {
      const arms = [...THROUGHPUT_ARMS, CONTROL];
      const isMain = name === ONE || name === EIGHT;
      return { scenario: name, arms, rounds: rounds[name] ?? fewRounds, leading: isMain ? 2 : 1, mirrored: true };
    }),
    subjects,
  );
  return {
    sizes: false,
    warmUp: true,
    countFrames: [],
    budgetMs: budgetMs * names.length,
    latestMs: latestMs * names.length,
    hosts: names.map((host) => ({ host, launches, atLeast: 3, limitMs, scenarios })),
  };
}

/** One block each, with many in flight of one subject, since the others take seconds for that: shows that everything works. */
function quickProfile(): Profile {
  const scenarios = THROUGHPUT_SCENARIOS.map(({ name }): ScenarioPlan => {
    const isFew = name === ONE || name === TWO;
    return { scenario: name, arms: isFew ? THROUGHPUT_ARMS : THROUGHPUT_ARMS.slice(0, 1), rounds: 1, mirrored: false };
  });
  return {
    sizes: false,
    warmUp: false,
    countFrames: [],
    budgetMs: 60_000,
    latestMs: 60_000,
    hosts: [{ host: 'workerd', launches: 1, limitMs: 60_000, scenarios }],
  };
}
