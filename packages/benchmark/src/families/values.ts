import { CODECS } from '../codecs/all.ts';
import { valuesEntry } from '../log/values-entry.ts';
import { measureValues } from '../values/measure-values.ts';
import { valuesProfile } from '../values/profile.ts';
import type { ValuesFindings } from '../values/record.ts';
import type { Family } from './family.ts';

/** Codecs alone. */
export const VALUES: Family<ValuesFindings> = {
  name: 'values',
  about: 'codecs alone, payload by payload; subjects are codecs, hosts are node and workerd',
  subjects: CODECS.map(({ name }) => name),
  hosts: ['node', 'workerd'],
  measure: ({ extent, subjects, hosts, payloads, seed, progress }) =>
    measureValues(valuesProfile({ extent, codecs: subjects, hosts, payloads }), seed, progress),
  entry: valuesEntry,
};
