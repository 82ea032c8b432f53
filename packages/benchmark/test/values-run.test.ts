import { describe, expect, it } from 'vitest';
import { PAYLOADS, payloadNamed } from '../src/payloads/all.ts';
import { measureValues } from '../src/values/measure-values.ts';
import { assertNoCodeGeneration } from '../src/values/no-code-generation.ts';
import { valuesProfile } from '../src/values/profile.ts';
import { cannotResults, timedResults } from '../src/values/record.ts';

const SILENT = { start() {}, update() {}, stop() {} };

/** In Node all of them; in a Worker, which has the same codecs, each kind, with one size of each ladder and the largest bytes. */
const IN_WORKERD = [...PAYLOADS.keys()].filter(
  (name) => name === 'bytes-1MiB' || !/-(64B|1KiB|256KiB|1MiB)$/.test(name),
);

describe('a quick run of the values family', () => {
  it.each(['node', 'workerd'] as const)(
    'times every codec with every payload that it carries, and says of the others that they cannot, in %s',
    { timeout: 300_000 },
    async (host) => {
      const payloads = host === 'node' ? [...PAYLOADS.keys()] : IN_WORKERD;
      const record = await measureValues(valuesProfile({ extent: 'quick', hosts: [host], payloads }), 1, SILENT);
      const cannot = Map.groupBy(cannotResults(record), ({ scenario }) => scenario);
      for (const name of payloads) {
        const { notCarriedBy } = payloadNamed(name);
        expect((cannot.get(name) ?? []).map(({ subject }) => subject).toSorted(), name).toEqual(
          notCarriedBy.toSorted(),
        );
      }
      const map = cannotResults(record).find((each) => each.scenario === 'map-set-date' && each.subject === 'JSON');
      expect(map?.cannot).toBe('$.orders: Map(100) became {}');

      const timed = timedResults(record);
      expect(timed.length).toBeGreaterThan(9 * payloads.length);
      for (const { p50, encode } of timed) {
        expect(p50).toBeGreaterThan(0);
        if (encode) expect(encode.n).toBeGreaterThan(0);
      }
      const rows = timed.filter(({ scenario }) => scenario === 'rows-200');
      expect(rows.find(({ subject }) => subject === 'JSON')?.bytes).toBe(14_689);
      expect(rows.find(({ subject }) => subject === 'structuredClone')).not.toHaveProperty('bytes');
      expect(rows.some(({ subject }) => subject === 'v8')).toBe(host === 'node');
      expect(timed.filter(({ subject }) => subject === 'copy').every(({ scenario }) => /^bytes/.test(scenario))).toBe(
        true,
      );
    },
  );
});

describe('assertNoCodeGeneration', () => {
  it('refuses a process that can make code from text, as this one can', () => {
    expect(assertNoCodeGeneration).toThrow('code can be generated here');
  });
});

describe('valuesProfile', () => {
  it('narrows down to what is wanted, and compares what is left', () => {
    const wanted = { codecs: ['lumenize', 'JSON', 'cbor-x'], hosts: ['node'], payloads: ['tree'] };
    const { hosts, pairs } = valuesProfile(wanted);
    expect(hosts.map(({ host }) => host)).toEqual(['node']);
    expect(hosts[0].payloads.map(({ scenario }) => scenario)).toEqual(['tree']);
    expect(hosts[0].payloads[0].arms.map(({ id }) => id)).toEqual(['lumenize', 'JSON', 'cbor-x', 'lumenize-again']);
    expect(pairs.map(({ subject, baseline }) => `${subject}/${baseline}`)).toEqual([
      'lumenize/JSON',
      'lumenize/cbor-x',
      'cbor-x/JSON',
    ]);
  });

  it('needs six rounds in all, with which a verdict can be given', () => {
    for (const { launches, payloads } of valuesProfile().hosts) {
      for (const { scenario, rounds } of payloads) expect(launches * rounds, scenario).toBeGreaterThanOrEqual(6);
    }
  });

  it.each([
    [{ codecs: ['protobuf'] }, 'no codec is called protobuf'],
    [{ hosts: ['bun'] }, 'no host is called bun'],
    [{ payloads: ['rows'] }, 'no payload is called rows'],
  ])('refuses what it does not know: %o', (selection, message) => {
    expect(() => valuesProfile(selection)).toThrow(message);
  });
});
