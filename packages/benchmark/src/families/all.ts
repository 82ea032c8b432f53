import { expectOneOf } from '../engine/measure.ts';
import type { Family, Wanted } from '../engine/plan.ts';
import { CAPACITY } from './capacity/capacity.ts';
import { COLD, COLD_SHORT } from './cold/cold.ts';
import { COUNTER } from './counter.ts';
import { FEATURE_COST } from './feature-cost.ts';
import { LINKS_FAMILY } from './links.ts';
import { MEMORY } from './memory/memory.ts';
import { PROFILE } from './profile/profile.ts';
import { SIZE } from './size.ts';
import { START } from './start/start.ts';
import { VALUES } from './values.ts';
import { WORK_FAMILIES } from './work.ts';

/** Every family, in the order in which the full run measures them. */
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

/** What `npm test -- performance` measures: the short profile. */
export const SHORT: readonly Family[] = [COUNTER, COLD_SHORT, SIZE];

/** The families by their names. */
export const FAMILIES: ReadonlyMap<string, Family> = new Map(ALL.map((family) => [family.name, family]));

/**
 * Returns the families of these names, or all that have a wanted subject and host, in the order of the full run. Throws
 * where one is not known, or has nothing of what is wanted.
 */
export function familiesFor(names: readonly string[] | undefined, { subjects, hosts, payloads }: Wanted): Family[] {
  for (const name of names ?? []) expectOneOf('family', name, [...FAMILIES.keys()]);
  const wanted = ALL.filter(({ name }) => names?.includes(name) ?? true);
  const of = names === undefined ? 'of any family' : `of the family ${names.join(' or ')}`;
  for (const each of subjects ?? []) expectOneOf(`subject ${of}`, each, union(wanted, 'subjects'));
  for (const each of hosts ?? []) expectOneOf(`host ${of}`, each, union(wanted, 'hosts'));
  const isValues = ({ name }: Family) => name === 'values';
  if (payloads && !wanted.some(isValues)) throw new Error('--payload is for the family values');
  return wanted.filter((family) => {
    const has = (mine: readonly string[], listed: readonly string[] | undefined) =>
      listed?.some((each) => mine.includes(each)) ?? true;
    return has(family.subjects, subjects) && has(family.hosts, hosts) && (!payloads || isValues(family));
  });
}

function union(families: readonly Family[], of: 'subjects' | 'hosts'): string[] {
  return [...new Set(families.flatMap((family) => family[of]))];
}
