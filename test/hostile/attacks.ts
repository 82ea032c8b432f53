import { ADVISORIES, type Where } from './advisories.ts';
import type { Attack } from './attack.ts';
import { CONNECTION_ATTACKS } from './attacks-connections.ts';
import { NAME_ATTACKS } from './attacks-names.ts';
import { SESSION_ATTACKS } from './attacks-sessions.ts';
import { VALUE_ATTACKS } from './attacks-values.ts';

/** What is done to ours for each of the advisories. */
export const ATTACKS: ReadonlyMap<Where, readonly Attack[]> = new Map(
  ADVISORIES.map(({ where }) => [
    where,
    [NAME_ATTACKS, VALUE_ATTACKS, SESSION_ATTACKS, CONNECTION_ATTACKS].flatMap((attacks) => attacks[where] ?? []),
  ]),
);
