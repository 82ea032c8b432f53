import { type BlocksPlace, planBlocks } from '../blocks/blocks.ts';
import type { Family, ScenarioPlan } from '../engine/plan.ts';
import { CALL_SCENARIOS } from '../scenarios/counter.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { BURST_FLOOR, CONTROL, MAIN_ARMS, PLAIN_ARMS, REMOTE_ARMS } from '../subjects/arms.ts';
import type { SubjectName } from '../subjects/subject.ts';

/** The maximum rounds of a launch, which a fast machine has time for. @default 1 */
const ROUNDS: Readonly<Record<string, number>> = {
  'increment/sequential': 8,
  'getValue/sequential': 10,
  'increment/one-turn-100': 6,
  'connect/first-result': 6,
  'mixed/sequential': 3,
  'increment/in-flight': 4,
  'getValue/in-flight': 4,
};

/**
 * Scenarios with bars. They have two rounds before others have one, and six in three launches are enough for a verdict.
 */
const LEADING = new Set(Object.keys(ROUNDS).slice(0, 4));

function planned({ name: scenario, sample, long }: Scenario): ScenarioPlan<SubjectName> {
  const floor = sample === 'turn' ? [BURST_FLOOR] : [];
  // There is time for few of them, with the most important arms. They have figures without a verdict.
  if (long) return { scenario, arms: [...REMOTE_ARMS, ...floor], rounds: 1, mirrored: false, launches: 1 };
  const isLeading = LEADING.has(scenario);
  const arms = [...MAIN_ARMS, ...(isLeading ? PLAIN_ARMS : []), CONTROL, ...floor];
  return { scenario, arms, rounds: ROUNDS[scenario] ?? 1, leading: isLeading ? 2 : 1 };
}

const onWorkerd = CALL_SCENARIOS.map(planned);

/** Without long blocks of single calls, and with fewer subjects, because every call takes longer there. */
const onWranglerDev = onWorkerd
  .filter(({ scenario }) => !scenario.endsWith('/sequential-1000'))
  .map((plan) => ({ ...plan, arms: plan.arms.filter((arm) => !PLAIN_ARMS.includes(arm)) }));

const WORKERD: BlocksPlace = { host: 'workerd', launches: 6, atLeast: 3, limitMs: 8500, scenarios: onWorkerd };
const WRANGLER_DEV: BlocksPlace = { host: 'wrangler-dev', launches: 3, limitMs: 9500, scenarios: onWranglerDev };
const TRACED: BlocksPlace = {
  ...{ host: 'wrangler-dev-traced', launches: 1, limitMs: 5000 },
  scenarios: [{ scenario: 'getValue/sequential', arms: REMOTE_ARMS, rounds: 2 }],
};
const inOneTurn = onWranglerDev.filter(({ scenario }) => scenario === 'increment/one-turn-100');
const QUICK = [WORKERD, { ...WRANGLER_DEV, scenarios: inOneTurn }];

/**
 * Calls of the counter, which the short profile measures: every subject on workerd and `wrangler dev` in little more
 * than a minute.
 */
export const COUNTER: Family = {
  name: 'counter',
  about: 'increment and getValue: one at a time, many in flight, many in one turn; connecting',
  subjects: [...MAIN_ARMS, ...PLAIN_ARMS, BURST_FLOOR].map(({ id }) => id),
  hosts: [WORKERD, WRANGLER_DEV, TRACED].map(({ host }) => host),
  configuration: [
    'Counter operations: increment() and getValue() on one CounterImpl, synchronous ctx.storage.kv; a fresh object and a fresh connection for each block',
  ],
  plan(extent, wanted) {
    const places = extent === 'quick' ? QUICK : [WORKERD, WRANGLER_DEV, TRACED];
    return planBlocks({ budgetMs: 66_000, latestMs: 78_000, places }, extent, wanted);
  },
};
