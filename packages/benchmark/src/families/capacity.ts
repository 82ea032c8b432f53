import { capacityEntry } from '../capacity/entry.ts';
import { type CapacityFindings, measureCapacity } from '../capacity/measure.ts';
import { CAPACITY_SUBJECTS } from '../capacity/profile.ts';
import type { Family } from './family.ts';

/** How much load is carried within an objective, from open loops. */
export const CAPACITY: Family<CapacityFindings> = {
  name: 'capacity',
  about: 'open loop: the most calls per second with p99 within 10 ms of their scheduled moments, and what is beyond',
  subjects: CAPACITY_SUBJECTS,
  hosts: ['workerd'],
  measure: measureCapacity,
  entry: capacityEntry,
};
