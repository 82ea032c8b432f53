import type { Case } from '../case.ts';
import { CALLBACKS } from './callbacks.ts';
import { CALLS } from './calls.ts';
import { CANCELLATION } from './cancellation.ts';
import { ERRORS } from './errors.ts';
import { HARDENING } from './hardening.ts';
import { LARGE_VALUES } from './large-values.ts';
import { MAPPING } from './mapping.ts';
import { OBSERVING } from './observing.ts';
import { ORDERING } from './ordering.ts';
import { PIPELINING } from './pipelining.ts';
import { REFERENCES } from './references.ts';
import { STATISTICS } from './statistics.ts';
import { STREAMS } from './streams.ts';
import { UNSENDABLE_CONTENT } from './unsendable-content.ts';
import { VALUES } from './values.ts';

/** Every case of the contract, part after part. */
export const CASES: readonly Case[] = [
  ...CALLS,
  ...VALUES,
  ...ERRORS,
  ...PIPELINING,
  ...MAPPING,
  ...ORDERING,
  ...REFERENCES,
  ...CALLBACKS,
  ...STREAMS,
  ...UNSENDABLE_CONTENT,
  ...CANCELLATION,
  ...LARGE_VALUES,
  ...STATISTICS,
  ...OBSERVING,
  ...HARDENING,
];

/** The names of the parts, in order. */
export const PARTS: readonly string[] = [...new Set(CASES.map(({ part }) => part))];
