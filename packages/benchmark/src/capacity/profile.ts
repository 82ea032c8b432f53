import { CONTROL } from '../blocks/arms.ts';
import { expectOneOf } from '../blocks/selection.ts';
import type { FamilyContext } from '../families/family.ts';
import type { Arm } from '../load/plan.ts';
import { CALLERS, type CapacitySubject } from './callers/all.ts';
import type { CapacityPlan, Cell, Search } from './plan.ts';

export const CAPACITY_SUBJECTS = Object.keys(CALLERS) as CapacitySubject[];
const HOSTS = ['workerd'] as const;

/** How much of capacity is measured. */
export interface CapacityProfile extends Search, Pick<CapacityPlan, 'limitMs'> {
  readonly launches: number;
  /** No further launch is begun that would probably end later than this after the start. */
  readonly latestMs: number;
}

const CELLS: readonly Cell[] = (['noop', 'insert'] as const).flatMap((method) =>
  [1, 16].map((objects) => ({ method, objects })),
);
const AGAIN = { id: CONTROL.id, subject: 'lumenize' } as const satisfies Arm<CapacitySubject>;

const COMMON: Omit<CapacityProfile, 'arms'> = {
  cells: CELLS,
  connections: 32,
  repeats: 2,
  objective: { p99Ms: 10, completedShare: 0.99 },
  warmUpMs: 300,
  rungMs: 300,
  probeMs: 800,
  ladder: { step: 1.25, precision: 1.065, maxRungs: 12 },
  launches: 1,
  limitMs: 100_000,
  latestMs: 330_000,
};

/** What is measured of capacity. Throws where no such subject or host is in it. */
export function capacityProfile({ extent, subjects, hosts }: FamilyContext): CapacityProfile {
  for (const subject of subjects ?? []) expectOneOf('subject of the family capacity', subject, CAPACITY_SUBJECTS);
  for (const host of hosts ?? []) expectOneOf('host of the family capacity', host, HOSTS);
  const arms = CAPACITY_SUBJECTS.filter((id) => subjects?.includes(id) ?? true).map((id) => ({ id, subject: id }));
  if (extent === 'quick') return { ...COMMON, ...QUICK, arms };
  // One launch has no verdict, and so none to be trusted or not.
  if (extent === 'whole') return { ...COMMON, arms, repeats: 1 };
  const again = arms.some(({ id }) => id === AGAIN.subject) ? [AGAIN] : [];
  return { ...COMMON, arms: [...arms, ...again], launches: 3 };
}

/** Everything once, as short as it can be: shows that it works. */
const QUICK: Partial<CapacityProfile> = {
  cells: [
    { method: 'noop', objects: 1 },
    { method: 'insert', objects: 2 },
  ],
  connections: 4,
  repeats: 1,
  warmUpMs: 40,
  rungMs: 60,
  probeMs: 150,
  ladder: { step: 4, precision: 2, maxRungs: 4 },
};
