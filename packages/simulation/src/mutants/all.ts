import { ACCESS } from './access.ts';
import { DELIVERY } from './delivery.ts';
import { IDENTITIES } from './identities.ts';
import { LIMITS } from './limits.ts';
import type { Mutant } from './mutant.ts';
import { REFERENCES } from './references.ts';
import { STREAMS } from './streams.ts';
import { TOPICS } from './topics.ts';

/** All defects that can be planted, by the part of the library that they are in. */
export const MUTANTS: Readonly<Record<string, readonly Mutant[]>> = {
  delivery: DELIVERY,
  topics: TOPICS,
  references: REFERENCES,
  streams: STREAMS,
  access: ACCESS,
  limits: LIMITS,
  identities: IDENTITIES,
};
