import type { FamilyContext } from '../families/family.ts';
import type { HostName } from '../hosts/host.ts';
import { WORK_WORKER } from '../hosts/worker-config.ts';
import type { Arm, ScenarioPlan } from '../load/plan.ts';
import {
  CARRIER_SCENARIOS,
  EVENT_SCENARIOS,
  LATENCY_SCENARIOS,
  PIPELINE_SCENARIOS,
  SIZE_SCENARIOS,
  scenarioNamed,
} from '../scenarios/all.ts';
import { GATEWAY_WARM_UP } from '../scenarios/gateway-warm-up.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { CARRIER_ARMS, CONTROL, EVENT_ARMS, LIBRARY_ARMS, MAIN_ARMS, SIZE_ARMS } from './arms.ts';
import type { Profile } from './profiles.ts';
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
  /** What is different where it is part of the full profile. */
  readonly whole?: Partial<Pick<ScenarioPlan, 'arms' | 'rounds' | 'mirrored'>>;
}

const LAUNCHES = 6;

/** The time that a family has on a host when it is measured alone, and each launch of it. */
const TIMES: Readonly<Record<WorkFamily, Pick<Profile, 'budgetMs' | 'latestMs'> & { readonly limitMs: number }>> = {
  pipeline: { budgetMs: 170_000, latestMs: 190_000, limitMs: 24_000 },
  transports: { budgetMs: 170_000, latestMs: 190_000, limitMs: 24_000 },
  events: { budgetMs: 230_000, latestMs: 240_000, limitMs: 26_000 },
  latency: { budgetMs: 150_000, latestMs: 170_000, limitMs: 21_000 },
};

/** Of that time, the share that it has as part of the full profile. */
const WHOLE_SHARE = 0.5;

/** Whether it takes a thousand connections. */
const isLarge = ({ audience = 0 }: Scenario) => audience >= 1000;

/** Frames of these are not counted: with what connecting takes, or, for a thousand, as for a hundred but for their share of the publishing. */
const isUncounted = (scenario: Scenario) => scenario.family === 'latency' || isLarge(scenario);

/** Fewer than for other blocks: they take longer, and differ more. */
const LONG = new Set(['echo/bytes-16MiB']);

/** The arms of the bar, and those that there is time for beside them where it takes seconds to open each. */
const BAR_ARMS = EVENT_ARMS.filter(({ id }) => id === 'lumenize' || id === 'capnweb');
const LARGE_ARMS = EVENT_ARMS.filter(({ id }) => id === 'raw' || id === 'capnweb-plain');
const LARGE_BURST_ARMS = LARGE_ARMS.filter(({ id }) => id === 'raw');

const FAMILIES: Readonly<Record<WorkFamily, readonly Measured[]>> = {
  pipeline: PIPELINE_SCENARIOS.map((scenario) => measured(scenario, LIBRARY_ARMS, 12)),
  transports: [
    ...SIZE_SCENARIOS.map((scenario) => measured(scenario, SIZE_ARMS, LONG.has(scenario.name) ? 1 : 5)),
    ...CARRIER_SCENARIOS.map((scenario) => measured(scenario, CARRIER_ARMS, 4)),
  ],
  events: EVENT_SCENARIOS.map(eventsMeasured),
  latency: LATENCY_SCENARIOS.map((scenario) => measured(scenario, MAIN_ARMS, 8)),
};

function measured(scenario: Scenario, arms: readonly Arm[], rounds: number): Measured {
  return { scenario, arms, rounds, leading: Math.min(rounds, 2) };
}

/** All rounds at once, so that the blocks for one audience follow one another. */
function eventsMeasured(scenario: Scenario): Measured {
  const isBurst = scenario.name.endsWith('-burst');
  // So that three launches suffice for a verdict, where there is no time for six.
  const rounds = isLarge(scenario) ? (isBurst ? 2 : 8) : 4;
  const part = { scenario, rounds, leading: rounds };
  if (!isLarge(scenario)) return { ...part, arms: EVENT_ARMS, whole: { rounds: 2 } };
  const arms = [...BAR_ARMS, ...(isBurst ? LARGE_BURST_ARMS : LARGE_ARMS)];
  // Twenty events for a thousand callbacks take seconds.
  return { ...part, arms, whole: { arms: BAR_ARMS, ...(isBurst ? { mirrored: false } : { rounds: 6 }) } };
}

/** Returns the subjects that take part in any scenario of a family. */
export function familySubjects(family: WorkFamily): string[] {
  return [...new Set(FAMILIES[family].flatMap(({ arms }) => arms.map(({ id }) => id)))];
}

/**
 * A family, or the part of it that is wanted, in two to three minutes a host, or four with events, and as part of the
 * full profile in half of that. Throws where no such subject or host is in it.
 */
export function familyProfile(
  family: WorkFamily,
  { extent = 'alone', subjects, hosts = ['workerd'] }: FamilySelection = {},
): Profile {
  for (const subject of subjects ?? []) expectOneOf(`subject of the family ${family}`, subject, familySubjects(family));
  if (extent === 'quick') return quickProfile(family);
  const plans = narrowed(
    FAMILIES[family].map(({ scenario, whole, ...full }): ScenarioPlan => {
      const { arms, ...plan } = { mirrored: true, ...full, ...(extent === 'whole' ? whole : {}) };
      return { ...plan, scenario: scenario.name, arms: [...arms, CONTROL] };
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
    countFrames: plans.map(({ scenario }) => scenario).filter((name) => !isUncounted(scenarioNamed(name))),
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
          arms: isLarge(scenario) || LONG.has(scenario.name) ? arms.slice(0, 1) : arms,
          rounds: 1,
          mirrored: false,
        })),
      },
    ],
  };
}
