import type { TimeResult } from '../blocks/record.ts';
import type { FamilyFindings } from '../families/family.ts';
import type { Result } from '../families/results.ts';
import { timeResults } from '../run-record.ts';
import { list } from './format.ts';
import { tripsOf } from './link-tables.ts';
import { HOST_NAMES, subjectName } from './names.ts';

/** What differs by less is bandwidth, jitter and work. */
const SAME_TRIPS = 0.5;

/** Says, link by link, where subjects' times differ by round trips. */
export function linkSentences(found: FamilyFindings): string[] {
  const times = timeResults(found);
  return [...new Set(times.map(({ host }) => host))].flatMap((host) => {
    const here = times.filter((each) => each.host === host);
    const scenarios = [...new Set(here.map(({ scenario }) => scenario))];
    const differing = scenarios.flatMap((scenario) =>
      sentenceOf(
        here.filter((each) => each.scenario === scenario),
        found.results,
      ),
    );
    const what =
      differing.length === 0
        ? 'no scenario’s times (p50) differ by half a round trip'
        : `times (p50) differ by half a round trip or more in ${list(differing)}, in round trips`;
    return [`Over ${HOST_NAMES[host].replace('workerd over ', '')}, ${what}.`];
  });
}

function sentenceOf(times: readonly TimeResult[], all: readonly Result[]): string[] {
  const trips = times.map((time) => tripsOf(time, all)?.value ?? 0);
  if (Math.max(...trips) - Math.min(...trips) < SAME_TRIPS) return [];
  const each = times.map(({ subject }, i) => `${subjectName(subject)} ${trips[i].toFixed(2)}`);
  return [`${times[0].scenario} (${each.join(', ')})`];
}
