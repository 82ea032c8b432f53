import { expectOneOf } from '../engine/measure.ts';
import type { Family, Wanted } from '../engine/plan.ts';
import { CAPACITY } from './capacity/capacity.ts';
import { COMPARABLE_FAMILIES, changeFamily } from './change.ts';
import { COLD, COLD_SHORT } from './cold/cold.ts';
import { COUNTER } from './counter.ts';
import { deployedFamily } from './deployed.ts';
import { FEATURE_COST } from './feature-cost.ts';
import { LINKS_FAMILY } from './links.ts';
import { MEMORY } from './memory.ts';
import { PROFILE } from './profile/profile.ts';
import { SIZE } from './size.ts';
import { START } from './start/start.ts';
import { VALUES } from './values.ts';
import { WORK_FAMILIES } from './work.ts';

/** Every family, in the order of the full run. */
const ALL: readonly Family[] = [
  COUNTER,
  ...WORK_FAMILIES,
  LINKS_FAMILY,
  FEATURE_COST,
  CAPACITY,
  PROFILE,
  VALUES,
  MEMORY,
  START,
  COLD,
  SIZE,
];

/** The short profile: the families that `npm test -- performance` measures. */
export const SHORT: readonly Family[] = [COUNTER, COLD_SHORT, SIZE];

/** The families by their names. */
export const FAMILIES: ReadonlyMap<string, Family> = new Map(ALL.map((family) => [family.name, family]));

/**
 * The choices of the command line: families by name, or an address or a commit instead of all; and the part to measure.
 */
export interface Asked extends Wanted {
  readonly names?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly since?: string | undefined;
}

/**
 * Returns the requested families, or all that have a requested subject and host, in the order of the full run. Rejects
 * if a family is unknown or has nothing that was requested, or if options do not go together.
 */
export async function familiesFor({ names, url, since, ...wanted }: Asked): Promise<readonly Family[]> {
  const { subjects, hosts, payloads, workloads, functions } = wanted;
  if ((workloads || functions) && names?.join() !== 'profile')
    throw new Error('--workload and --top go with --family profile');
  if (url !== undefined) {
    if (names ?? hosts ?? payloads ?? since)
      throw new Error('--url goes with --subject, and with no family, host, payload or commit');
    return [await deployedFamily(url, subjects)];
  }
  if (since !== undefined) {
    if (subjects ?? hosts ?? payloads) throw new Error('--since goes with no subject, host or payload');
    const [of = 'counter', ...others] = names ?? [];
    if (others.length > 0) throw new Error('--since goes with one family');
    return [changeFamily(since, expectOneOf('family to compare', of, COMPARABLE_FAMILIES))];
  }
  for (const name of names ?? []) expectOneOf('family', name, [...FAMILIES.keys()]);
  const named = ALL.filter(({ name }) => names?.includes(name) ?? true);
  const of = names === undefined ? 'of any family' : `of the family ${names.join(' or ')}`;
  for (const each of subjects ?? []) expectOneOf(`subject ${of}`, each, union(named, 'subjects'));
  for (const each of hosts ?? []) expectOneOf(`host ${of}`, each, union(named, 'hosts'));
  const isValues = ({ name }: Family) => name === 'values';
  if (payloads && !named.some(isValues)) throw new Error('--payload is for the family values');
  return named.filter((family) => {
    const has = (mine: readonly string[], listed: readonly string[] | undefined) =>
      listed?.some((each) => mine.includes(each)) ?? true;
    return has(family.subjects, subjects) && has(family.hosts, hosts) && (!payloads || isValues(family));
  });
}

function union(families: readonly Family[], of: 'subjects' | 'hosts'): string[] {
  return [...new Set(families.flatMap((family) => family[of]))];
}
