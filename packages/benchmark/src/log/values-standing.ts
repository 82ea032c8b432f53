import type { Place } from '../hosts/host.ts';
import type { Comparison } from '../statistics/comparison.ts';
import type { ValuesFindings } from '../values/record.ts';

/** The bar: first, or within a tenth of the first. */
export const CLOSE_TO_FIRST = 1 / 1.1;

/** Where `lumenize` stands with one payload in one place. */
export interface Standing {
  readonly payload: string;
  readonly host: Place;
  /** Against the other project's codec that it is furthest behind, or least ahead of. */
  readonly closest: Comparison<Place>;
  readonly place: 'first' | 'within 10 %' | 'behind' | 'no conclusion';
}

/** Where `lumenize` stands among the other JavaScript codecs that carry more than JSON, payload by payload. */
export function standings(record: ValuesFindings): Standing[] {
  const rivals = record.comparisons.filter(
    ({ subject, baseline }) => subject === 'lumenize' && record.codecs[baseline].kind === 'rival',
  );
  const groups = Map.groupBy(rivals, ({ host, scenario }) => `${host}\n${scenario}`);
  return [...groups.values()].map((group) => {
    const closest = group.toSorted((a, b) => a.ratio - b.ratio)[0];
    return { payload: closest.scenario, host: closest.host, closest, place: placeOf(closest) };
  });
}

function placeOf({ ratio, verdict }: Comparison<Place>): Standing['place'] {
  if (verdict === 'no conclusion') return 'no conclusion';
  return ratio >= 1 ? 'first' : ratio >= CLOSE_TO_FIRST ? 'within 10 %' : 'behind';
}
