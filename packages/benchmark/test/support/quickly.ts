import { measure } from '../../src/engine/measure.ts';
import type { Family, Wanted } from '../../src/engine/plan.ts';
import type { Row } from '../../src/engine/row.ts';

/** Shows nothing. */
export const SILENT = { start() {}, update() {}, stop() {} };

/** Measures a family so quickly that its figures say nothing. */
export const measureQuickly = (family: Family, wanted: Wanted = {}) =>
  measure(family, 'quick', wanted, { seed: 1, progress: SILENT });

/** Says of which scenario and subject rows are. */
export const namesOf = (rows: readonly Row[]) => rows.map(({ scenario, subject }) => `${scenario} ${subject}`);
