import type { Case } from '../case.ts';
import { CALLS } from './calls.ts';
import { ERRORS } from './errors.ts';
import { HARDENING } from './hardening.ts';
import { ORDERING } from './ordering.ts';
import { PIPELINING } from './pipelining.ts';
import { VALUES } from './values.ts';

/** Every case of the contract, part after part. */
export const CASES: readonly Case[] = [...CALLS, ...VALUES, ...ERRORS, ...PIPELINING, ...ORDERING, ...HARDENING];

/** The names of the parts, in order. */
export const PARTS: readonly string[] = [...new Set(CASES.map(({ part }) => part))];
