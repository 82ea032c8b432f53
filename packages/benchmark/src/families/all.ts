import { WORK_FAMILIES } from '../blocks/family-profiles.ts';
import { expectOneOf } from '../blocks/selection.ts';
import { CAPACITY } from './capacity.ts';
import { COUNTER } from './counter.ts';
import type { Family, FamilyContext } from './family.ts';
import { FEATURE_COST } from './feature-cost.ts';
import { LINKS_FAMILY } from './links.ts';
import { MEMORY } from './memory.ts';
import { PROFILE } from './profile.ts';
import { SIZE } from './size.ts';
import { START } from './start.ts';
import { THROUGHPUT } from './throughput.ts';
import { VALUES } from './values.ts';
import { workFamily } from './work.ts';

/** Every family, in the order in which the full profile measures them. */
const ALL: readonly Family[] = [
  COUNTER,
  ...WORK_FAMILIES.map(workFamily),
  LINKS_FAMILY,
  FEATURE_COST,
  CAPACITY,
  THROUGHPUT,
  PROFILE,
  VALUES,
  MEMORY,
  START,
  SIZE,
];

/** The families by their names. */
export const FAMILIES: ReadonlyMap<string, Family> = new Map(ALL.map((family) => [family.name, family]));

/**
 * Returns the families of these names, or all that have a wanted subject and host, in the order of the full profile. Throws
 * where one is not known, or has nothing of what is wanted.
 */
export function familiesFor(
  names: readonly string[] | undefined,
  { subjects, hosts, payloads }: Pick<FamilyContext, 'subjects' | 'hosts' | 'payloads'>,
): Family[] {
  for (const name of names ?? []) expectOneOf('family', name, [...FAMILIES.keys()]);
  const wanted = ALL.filter(({ name }) => names?.includes(name) ?? true);
  for (const subject of subjects ?? []) expectOneOf(`subject ${ofThese(names)}`, subject, unionOf(wanted, 'subjects'));
  for (const host of hosts ?? []) expectOneOf(`host ${ofThese(names)}`, host, unionOf(wanted, 'hosts'));
  if (payloads && !wanted.includes(VALUES)) throw new Error('--payload is for the family values');
  return wanted.filter((family) => {
    const has = (mine: readonly string[], listed: readonly string[] | undefined) =>
      listed?.some((each) => mine.includes(each)) ?? true;
    return has(family.subjects, subjects) && has(family.hosts, hosts) && (!payloads || family === VALUES);
  });
}

function ofThese(names: readonly string[] | undefined): string {
  return names === undefined ? 'of any family' : `of the family ${names.join(' or ')}`;
}

function unionOf(families: readonly Family[], of: 'subjects' | 'hosts'): string[] {
  return [...new Set(families.flatMap((family) => family[of]))];
}
