import { BURST_FLOOR, CONTROL, REMOTE_ARMS } from '../blocks/arms.ts';
import type { HostPlan, Profile } from '../blocks/profiles.ts';
import { expectOneOf, narrowed } from '../blocks/selection.ts';
import type { FamilyContext } from '../families/family.ts';
import type { LinkHostName } from '../hosts/host.ts';
import { WORK_WORKER } from '../hosts/worker-config.ts';
import { REMOTE_SCENARIOS } from '../scenarios/remote.ts';

export const LINK_HOSTS = [
  'workerd-lan',
  'workerd-cable',
  'workerd-lte',
  'workerd-far',
] as const satisfies readonly LinkHostName[];

export const LINK_SUBJECTS: readonly string[] = [...REMOTE_ARMS, BURST_FLOOR].map(({ id }) => id);

type Extent = FamilyContext['extent'];

/** Launches go past the link to warm up: what is left to be slow at first is a matter of the network. */
const WARM_UP_LIMIT_MS = 500;

/** The rounds that a launch has time for: one takes about 100 round trips, with all subjects. */
const ROUNDS: Readonly<Record<Extent, Partial<Record<LinkHostName, number>>>> = {
  alone: { 'workerd-lan': 4, 'workerd-cable': 2, 'workerd-lte': 2, 'workerd-far': 1 },
  whole: { 'workerd-cable': 2, 'workerd-lte': 2 },
  quick: { 'workerd-lan': 1 },
};

/** Of which no launch is begun that would probably end later, and which none of the least may exceed. */
const TIMES_MS: Readonly<Record<Extent, { readonly budgetMs: number; readonly latestMs: number }>> = {
  alone: { budgetMs: 165_000, latestMs: 180_000 },
  whole: { budgetMs: 66_000, latestMs: 90_000 },
  quick: { budgetMs: 60_000, latestMs: 60_000 },
};

/** The most time for the rounds of a launch, on a machine that is so busy that the links are not what takes it. */
const LIMIT_MS = 30_000;

/** What is measured over links. Throws where a subject or link is not among them. */
export function linksProfile({ extent, subjects, hosts }: FamilyContext): Profile {
  for (const subject of subjects ?? []) {
    expectOneOf('subject of the family links', subject, LINK_SUBJECTS);
  }
  const wanted = hosts?.map((host) => expectOneOf('host of the family links', host, LINK_HOSTS));
  const chosen = LINK_HOSTS.filter((host) => (wanted ? wanted.includes(host) : ROUNDS[extent][host] !== undefined));
  const rounds = (host: LinkHostName) => ROUNDS[extent][host] ?? 1;
  return {
    worker: WORK_WORKER,
    sizes: false,
    warmUp: extent !== 'quick',
    countFrames: REMOTE_SCENARIOS.map(({ name }) => name),
    ...TIMES_MS[extent],
    hosts: chosen.map(
      (host): HostPlan => ({
        host,
        launches: extent === 'quick' ? 1 : 3,
        limitMs: LIMIT_MS,
        warmUpLimitMs: WARM_UP_LIMIT_MS,
        scenarios: narrowed(
          REMOTE_SCENARIOS.map(({ name }) => ({
            scenario: name,
            arms: [...REMOTE_ARMS, ...(name.startsWith('remote/one-turn') ? [BURST_FLOOR] : []), CONTROL],
            // A link that has the whole time to itself has more of them.
            rounds: rounds(host) * (extent === 'alone' && chosen.length === 1 ? 2 : 1),
            // No drift of the machine's speed shows beside the network: the random order of a round suffices.
            mirrored: false,
          })),
          subjects,
        ),
      }),
    ),
  };
}
