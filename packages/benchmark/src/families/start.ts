import { expectOneOf } from '../blocks/selection.ts';
import type { StartFindings } from '../start/findings.ts';
import { measureStart } from '../start/measure-start.ts';
import { START_SUBJECTS, startProfile } from '../start/profile.ts';
import { startEntry } from '../start/start-entry.ts';
import type { Family } from './family.ts';

/** How long it takes until something answers: first, after sleep, after a loss, after new code. */
export const START: Family<StartFindings> = {
  name: 'start',
  about: 'importing, start to first call, waking, reconnecting, and new code under clients that call',
  subjects: START_SUBJECTS,
  hosts: ['workerd'],
  measure({ extent, subjects = START_SUBJECTS, hosts = ['workerd'], seed, progress }) {
    for (const host of hosts) expectOneOf('host of the family start', host, ['workerd']);
    const wanted = subjects.map((each) => expectOneOf('subject of the family start', each, START_SUBJECTS));
    return measureStart(startProfile(extent), wanted, seed, progress);
  },
  entry: startEntry,
};
