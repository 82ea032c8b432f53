import type { SubjectName } from '../subjects/subject.ts';
import type { Cell } from './plan.ts';
import { WORKLOADS } from './workloads.ts';

/** The subjects that are profiled: each over the socket that it has as it ships. */
export const PROFILED: readonly SubjectName[] = ['lumenize', 'capnweb', 'raw'];

/** Every workload with every subject, in the order of the tables. */
export const ALL_CELLS: readonly Cell[] = WORKLOADS.flatMap(({ name }) =>
  PROFILED.map((subject) => ({ workload: name, subject })),
);

/** Returns the cells of these workloads and subjects, or of all. */
export function cellsOf(workloads: readonly string[] | undefined, subjects: readonly string[] | undefined): Cell[] {
  return ALL_CELLS.filter(
    ({ workload, subject }) => (workloads?.includes(workload) ?? true) && (subjects?.includes(subject) ?? true),
  );
}
