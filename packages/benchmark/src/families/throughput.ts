import { throughputEntry } from '../throughput/entry.ts';
import { measureThroughput, type ThroughputFindings } from '../throughput/measure.ts';
import { THROUGHPUT_ARMS, THROUGHPUT_HOSTS } from '../throughput/profile.ts';
import type { Family } from './family.ts';

/** Calls per second in a closed loop, and the most of them within an objective. */
export const THROUGHPUT: Family<ThroughputFindings> = {
  name: 'throughput',
  about: 'calls per second of 20 connections in a closed loop, and the most of them with p99 below 10 ms',
  subjects: THROUGHPUT_ARMS.map(({ id }) => id),
  hosts: THROUGHPUT_HOSTS,
  measure: measureThroughput,
  entry: throughputEntry,
};
