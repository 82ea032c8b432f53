import type { Random } from '@lumenize/hosts/random';
import type { FamilyContext } from '../families/family.ts';
import type { FigureResult } from '../families/figure-result.ts';
import type { HostName } from '../hosts/host.ts';
import type { Arm, Block, ScenarioPlan } from '../load/plan.ts';
import { CALL_SCENARIOS } from '../scenarios/all.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Compared, Comparison } from '../statistics/comparison.ts';
import type { SubjectName } from '../subjects/subject.ts';
import { BURST_FLOOR, CONTROL, MAIN_ARMS, PLAIN_ARMS } from './arms.ts';
import { expectOneOf, narrowed } from './selection.ts';

/** What is measured on one host, and how many launches of it. */
export interface HostPlan {
  readonly host: HostName;
  readonly launches: number;
  /** How many of them have the grace of `latestMs`; three are needed for a verdict. @default all */
  readonly atLeast?: number;
  readonly scenarios: readonly ScenarioPlan[];
  /** Time for a launch's warm-up and rounds, so that a slow machine has fewer rounds rather than a longer run. */
  readonly limitMs: number;
  /** The most time for its warm-up. @default none */
  readonly warmUpLimitMs?: number;
}

/** Where the counter can be measured. */
export const COUNTER_HOSTS = ['workerd', 'wrangler-dev', 'wrangler-dev-traced'] as const satisfies readonly HostName[];

/** A choice of scenarios, hosts and repetitions. */
export interface Profile {
  /** The `wrangler.toml` of the Worker that is measured, from the root. @default the counter's */
  readonly worker?: string;
  /** Whether the size of what clients load is measured too. */
  readonly sizes: boolean;
  readonly hosts: readonly HostPlan[];
  readonly warmUp: boolean;
  /** The scenario that it is warmed up with. @default that of the counter */
  readonly warmUpScenario?: string;
  /** The scenarios whose frames and bytes are counted. */
  readonly countFrames: readonly string[];
  /** Export conditions that the client is bundled with before those of Node. @default none: as it is built */
  readonly conditions?: readonly string[];
  /** No launch beyond the least is begun that would probably end later than this after the start. */
  readonly budgetMs: number;
  /** No launch at all is begun that would probably end later than this after the start. */
  readonly latestMs: number;
  /** Which arms are compared. @default the pairs of subjects that every other family has */
  readonly compared?: Compared<SubjectName>;
  /** Makes figures of what the launches on a host found, beside the times of each arm. @default none */
  readonly figures?: (
    host: HostName,
    launches: readonly (readonly Block[])[],
    comparisons: readonly Comparison[],
    random: Random,
  ) => FigureResult[];
}

/** The most rounds that a launch has, for which a quick machine has the time. */
const ROUNDS: Readonly<Record<string, number>> = {
  'increment/sequential': 8,
  'getValue/sequential': 10,
  'increment/one-turn-100': 6,
  'connect/first-result': 6,
  'mixed/sequential': 3,
  'increment/in-flight': 4,
  'getValue/in-flight': 4,
};

/** What the bars are about has two rounds before anything else has one: six in three launches suffice for a verdict. */
const LEADING = ['increment/sequential', 'getValue/sequential', 'increment/one-turn-100', 'connect/first-result'];

/** The three subjects that most is said of. */
const FIRST_ARMS = MAIN_ARMS.filter(({ id }) => id === 'lumenize' || id === 'capnweb' || id === 'raw');

/** Blocks of a thousand calls take a second or two each: there is time for a few, and so for figures without a verdict. */
const isLong = (name: string) => name.endsWith('-1000');

function shortPlan({ name, family }: Scenario): ScenarioPlan {
  if (isLong(name))
    return { ...once(name, family === 'burst' ? [...FIRST_ARMS, BURST_FLOOR] : FIRST_ARMS), launches: 1 };
  const arms = [...MAIN_ARMS, ...(LEADING.includes(name) ? PLAIN_ARMS : []), CONTROL];
  return {
    scenario: name,
    arms: family === 'burst' ? [...arms, BURST_FLOOR] : arms,
    rounds: ROUNDS[name] ?? 1,
    leading: LEADING.includes(name) ? 2 : 1,
    mirrored: true,
  };
}

const onWorkerd = CALL_SCENARIOS.map(shortPlan);

/** No long blocks one call at a time, and fewer subjects: every call takes longer there. */
const onWranglerDev = onWorkerd
  .filter(({ scenario }) => !scenario.endsWith('/sequential-1000'))
  .map((plan) => ({ ...plan, arms: plan.arms.filter((arm) => !PLAIN_ARMS.includes(arm)) }));

/** Every subject on workerd and `wrangler dev` in less than two minutes. */
const FULL: Profile = {
  sizes: true,
  warmUp: true,
  // A call of a thousand costs what one of a hundred does.
  countFrames: CALL_SCENARIOS.map(({ name }) => name).filter((name) => !isLong(name)),
  budgetMs: 100_000,
  latestMs: 112_000,
  hosts: [
    { host: 'workerd', launches: 6, atLeast: 3, limitMs: 8500, scenarios: onWorkerd },
    { host: 'wrangler-dev', launches: 3, limitMs: 9500, scenarios: onWranglerDev },
    {
      host: 'wrangler-dev-traced',
      launches: 1,
      limitMs: 5000,
      scenarios: [{ scenario: 'getValue/sequential', arms: FIRST_ARMS, rounds: 2, mirrored: true }],
    },
  ],
};

/** One block per scenario: shows that everything works, measures nothing worth keeping. */
const QUICK: Profile = {
  sizes: true,
  warmUp: false,
  countFrames: ['getValue/sequential', 'increment/one-turn-100'],
  budgetMs: 60_000,
  latestMs: 60_000,
  hosts: [
    {
      host: 'workerd',
      launches: 1,
      limitMs: 20_000,
      scenarios: CALL_SCENARIOS.map(({ name, family }) => {
        if (isLong(name)) return once(name, MAIN_ARMS.slice(0, 1));
        const arms = [...MAIN_ARMS, ...(LEADING.includes(name) ? PLAIN_ARMS : [])];
        return once(name, family === 'burst' ? [...arms, BURST_FLOOR] : arms);
      }),
    },
    { host: 'wrangler-dev', launches: 1, limitMs: 5000, scenarios: [once('increment/one-turn-100', MAIN_ARMS)] },
  ],
};

/** What is measured of the counter; the size of what clients load too, where no other family does. */
export function counterProfile({ extent, subjects, hosts }: FamilyContext): Profile {
  const profile = extent === 'quick' ? QUICK : FULL;
  const known = [...MAIN_ARMS, ...PLAIN_ARMS, BURST_FLOOR].map(({ id }) => id);
  for (const subject of subjects ?? []) expectOneOf('subject of the family counter', subject, known);
  for (const host of hosts ?? []) expectOneOf('host', host, COUNTER_HOSTS);
  return {
    ...profile,
    sizes: extent !== 'whole' && subjects === undefined && hosts === undefined,
    hosts: profile.hosts
      .filter(({ host }) => hosts?.includes(host) ?? true)
      .map((plan) => ({ ...plan, scenarios: narrowed(plan.scenarios, subjects) })),
  };
}

function once(scenario: string, arms: readonly Arm[]): ScenarioPlan {
  return { scenario, arms, rounds: 1, mirrored: false };
}
