import { CARRIER_ARMS, CONTROL, EVENT_ARMS, LIBRARY_ARMS, MAIN_ARMS } from './arms.ts';
import type { FamilyContext } from './families/family.ts';
import type { HostName } from './hosts/host.ts';
import { WORK_WORKER } from './hosts/worker-config.ts';
import type { Arm, ScenarioPlan } from './load/plan.ts';
import type { Profile } from './profiles.ts';
import {
  CARRIER_SCENARIOS,
  EVENT_SCENARIOS,
  LATENCY_SCENARIOS,
  PIPELINE_SCENARIOS,
  SIZE_SCENARIOS,
} from './scenarios/all.ts';
import { GATEWAY_WARM_UP } from './scenarios/gateway-warm-up.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { expectOneOf, narrowed } from './selection.ts';

/** The families that have a run of their own and are no part of the short profile. */
export const WORK_FAMILIES = ['pipeline', 'transports', 'events', 'latency'] as const;
export type WorkFamily = (typeof WORK_FAMILIES)[number];

/** What part of a family is wanted; without a list, all. */
export type FamilySelection = Partial<Pick<FamilyContext, 'extent' | 'subjects' | 'hosts'>>;

/** Where they can be measured; workerd alone, where nothing else is wanted. */
export const FAMILY_HOSTS = ['workerd', 'wrangler-dev'] as const satisfies readonly HostName[];

interface Measured {
  readonly scenario: Scenario;
  readonly arms: readonly Arm[];
  /** The most rounds of a launch, for which a quick machine has the time. */
  readonly rounds: number;
  readonly leading: number;
}

const LAUNCHES = 6;

/** The time that a family has on a host when it is measured alone, and each launch of it. */
const TIMES: Readonly<Record<WorkFamily, Pick<Profile, 'budgetMs' | 'latestMs'> & { readonly limitMs: number }>> = {
  pipeline: { budgetMs: 170_000, latestMs: 190_000, limitMs: 24_000 },
  transports: { budgetMs: 170_000, latestMs: 190_000, limitMs: 24_000 },
  // To open a thousand connections takes longer than what is measured on them.
  events: { budgetMs: 330_000, latestMs: 350_000, limitMs: 40_000 },
  latency: { budgetMs: 150_000, latestMs: 170_000, limitMs: 21_000 },
};

/** Of that time, the share that it has as part of the full profile. */
const WHOLE_SHARE = 0.5;

/** Frames of these would be counted with what connecting and subscribing take. */
const CONNECTING: ReadonlySet<WorkFamily> = new Set(['events', 'latency']);

/** Fewer than for other blocks: they take longer, and differ more. */
const LONG = new Set(['echo/bytes-16MiB']);

/** Whether a block opens a thousand connections first. */
const isLarge = ({ name }: Scenario) => name.startsWith('events/to-1000');

const FAMILIES: Readonly<Record<WorkFamily, readonly Measured[]>> = {
  pipeline: PIPELINE_SCENARIOS.map((scenario) => measured(scenario, LIBRARY_ARMS, 12)),
  transports: [
    ...SIZE_SCENARIOS.map((scenario) => measured(scenario, LIBRARY_ARMS, LONG.has(scenario.name) ? 1 : 5)),
    ...CARRIER_SCENARIOS.map((scenario) => measured(scenario, CARRIER_ARMS, 4)),
  ],
  events: EVENT_SCENARIOS.map((scenario) => measured(scenario, EVENT_ARMS, isLarge(scenario) ? 1 : 3)),
  latency: LATENCY_SCENARIOS.map((scenario) => measured(scenario, MAIN_ARMS, 8)),
};

function measured(scenario: Scenario, arms: readonly Arm[], rounds: number): Measured {
  return { scenario, arms, rounds, leading: Math.min(rounds, 2) };
}

/** Returns the subjects that take part in any scenario of a family. */
export function familySubjects(family: WorkFamily): string[] {
  return [...new Set(FAMILIES[family].flatMap(({ arms }) => arms.map(({ id }) => id)))];
}

/**
 * A family, or the part of it that is wanted, in two to three minutes a host, or five to six with events, and as part of
 * the full profile in half of that. Throws where no such subject or host is in it.
 */
export function familyProfile(
  family: WorkFamily,
  { extent = 'alone', subjects, hosts = ['workerd'] }: FamilySelection = {},
): Profile {
  for (const subject of subjects ?? []) expectOneOf(`subject of the family ${family}`, subject, familySubjects(family));
  if (extent === 'quick') return quickProfile(family);
  const plans = narrowed(
    FAMILIES[family].map(({ scenario, arms, rounds, leading }): ScenarioPlan => {
      return { scenario: scenario.name, arms: [...arms, CONTROL], rounds, leading, mirrored: true };
    }),
    subjects,
  );
  const share = extent === 'whole' ? WHOLE_SHARE : 1;
  const { budgetMs, latestMs, limitMs } = TIMES[family];
  return {
    worker: WORK_WORKER,
    sizes: false,
    warmUp: true,
    warmUpScenario: family === 'latency' ? GATEWAY_WARM_UP.name : undefined,
    countFrames: CONNECTING.has(family) ? [] : plans.map(({ scenario }) => scenario),
    budgetMs: budgetMs * share * hosts.length,
    latestMs: latestMs * share * hosts.length,
    hosts: hosts.map((host) => ({
      host: expectOneOf('host', host, FAMILY_HOSTS),
      launches: LAUNCHES,
      atLeast: 3,
      limitMs: limitMs * share,
      scenarios: plans,
    })),
  };
}

/** One block of every scenario with every subject, and of the longest ones with one: shows that everything works. */
function quickProfile(family: WorkFamily): Profile {
  return {
    worker: WORK_WORKER,
    sizes: false,
    warmUp: false,
    countFrames: ['pipeline/chain-3', 'pipeline/batch-100'],
    budgetMs: 60_000,
    latestMs: 60_000,
    hosts: [
      {
        host: 'workerd',
        launches: 1,
        limitMs: 60_000,
        scenarios: FAMILIES[family].map(({ scenario, arms }) => ({
          scenario: scenario.name,
          arms: isLarge(scenario) ? arms.slice(0, 1) : arms,
          rounds: 1,
          mirrored: false,
        })),
      },
    ],
  };
}
