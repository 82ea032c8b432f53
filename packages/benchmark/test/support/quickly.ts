import { measure } from '../../src/engine/measure.ts';
import type { Family, Wanted } from '../../src/engine/plan.ts';
import type { Row } from '../../src/engine/row.ts';

/** Shows nothing. */
export const SILENT = { update() {}, stop() {} };

/** Measures a family so quickly that its figures say nothing; names what was timed and what could not be, and finds figures by scenario. */
export async function measureQuickly(family: Family, wanted: Wanted = {}) {
  const findings = await measure(family, 'quick', wanted, { seed: 1, progress: SILENT });
  const { rows } = findings;
  return {
    ...findings,
    timed: namesOf(rows.filter(({ cannot }) => cannot === undefined)),
    missing: namesOf(rows.filter(({ cannot }) => cannot !== undefined)),
    of: (wanted: string) => rows.filter(({ scenario, value }) => scenario === wanted && value !== undefined),
  };
}

/** Says of which scenario and subject rows are. */
export const namesOf = (rows: readonly Row[]) => rows.map(({ scenario, subject }) => `${scenario} ${subject}`);
