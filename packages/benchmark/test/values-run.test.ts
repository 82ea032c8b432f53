import { describe, expect, it } from 'vitest';
import { VALUES } from '../src/families/values.ts';
import { PAYLOADS } from '../src/values/payloads.ts';
import { measureQuickly } from './support/quickly.ts';

const NAMES = Object.keys(PAYLOADS);
/** In Node all of them; in a Worker, which has the same codecs, each kind, with one size of each ladder and the largest bytes. */
const IN_WORKERD = NAMES.filter((name) => name === 'bytes-1MiB' || !/-(64B|1KiB|256KiB|1MiB)$/.test(name));

/** The codecs that do not give a payload back as it was: seroval takes no buffer whose base64 is longer than a million characters. */
const NOT_CARRIED_BY: readonly (readonly [payloads: RegExp, ...codecs: readonly string[]])[] = [
  [/^(map-set-date|cyclic)$/, 'JSON', 'capnweb'],
  [/^typed-arrays$/, 'JSON'],
  [/^bytes-1MiB$/, 'seroval'],
  [/^bytes-/, 'JSON'],
];

describe('a quick run of the values family', () => {
  it.each(['node', 'workerd'] as const)(
    'times every codec with every payload that it carries, and says of the others that they cannot, in %s',
    { timeout: 300_000 },
    async (host) => {
      const payloads = host === 'node' ? NAMES : IN_WORKERD;
      const wanted = { hosts: [host], payloads };
      const { rows } = await measureQuickly(VALUES, wanted);
      for (const name of payloads) {
        const notCarriedBy = NOT_CARRIED_BY.flatMap(([of, ...codecs]) => (of.test(name) ? codecs : []));
        const cannot = rows.filter((row) => row.scenario === name && row.cannot !== undefined);
        expect(cannot.map(({ subject }) => subject).toSorted(), name).toEqual(notCarriedBy.toSorted());
      }
      const map = rows.find(({ scenario, subject }) => scenario === 'map-set-date' && subject === 'JSON');
      expect(map?.cannot).toBe('$.orders: Map(100) became {}');

      const timed = rows.filter(({ cannot }) => cannot === undefined);
      expect(timed.length).toBeGreaterThan(9 * payloads.length);
      for (const { value } of timed) expect(value).toBeGreaterThan(0);
      const of = (codec: string) => timed.find((row) => row.scenario === 'rows-200' && row.subject === codec);
      expect(of('JSON')?.detail).toMatchObject({ bytes: 14_689, encodeUs: expect.any(Number) });
      expect(of('structuredClone')?.detail).not.toHaveProperty('bytes');
      expect(of('v8') !== undefined).toBe(host === 'node');
      expect(timed.every(({ subject, scenario }) => subject !== 'copy' || /^bytes/.test(scenario))).toBe(true);
    },
  );
});
