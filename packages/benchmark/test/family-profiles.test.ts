import { describe, expect, it } from 'vitest';
import { CONTROL } from '../src/blocks/arms.ts';
import { familyProfile, WORK_FAMILIES } from '../src/blocks/family-profiles.ts';
import {
  CARRIER_SCENARIOS,
  EVENT_SCENARIOS,
  LATENCY_SCENARIOS,
  PIPELINE_SCENARIOS,
  SIZE_SCENARIOS,
  scenarioNamed,
} from '../src/scenarios/all.ts';

describe('familyProfile', () => {
  it.each(WORK_FAMILIES)('has the A/A arm in every scenario of %s, and rounds in pairs', (family) => {
    const [{ host, launches, scenarios }, ...others] = familyProfile(family).hosts;
    expect({ host, others }).toEqual({ host: 'workerd', others: [] });
    expect(launches).toBeGreaterThanOrEqual(3);
    for (const { arms, mirrored } of scenarios) {
      expect(arms).toContain(CONTROL);
      expect(mirrored).toBe(true);
    }
  });

  it('is narrowed to some subjects, to the scenarios that they are in, and to some hosts', () => {
    const { hosts } = familyProfile('transports', { subjects: ['native', 'raw-port'], hosts: ['wrangler-dev'] });
    expect(hosts.map(({ host }) => host)).toEqual(['wrangler-dev']);
    expect(hosts[0].scenarios.map(({ scenario }) => scenario)).toEqual(CARRIER_SCENARIOS.map(({ name }) => name));
    for (const { arms } of hosts[0].scenarios) expect(arms.map(({ id }) => id)).toEqual(['raw-port', 'native']);
  });

  it('names what there is where a subject or a host is not known', () => {
    expect(() => familyProfile('pipeline', { subjects: ['native'] })).toThrow(
      'no subject of the family pipeline is called native; there are lumenize, lumenize-accept, capnweb',
    );
    expect(() => familyProfile('pipeline', { hosts: ['node'] })).toThrow('no host is called node; there are workerd');
  });

  it('leaves no scenario out of the quick check', () => {
    const names = WORK_FAMILIES.flatMap((family) =>
      familyProfile(family, { extent: 'quick' }).hosts[0].scenarios.map(({ scenario }) => scenario),
    );
    const all = [
      ...PIPELINE_SCENARIOS,
      ...CARRIER_SCENARIOS,
      ...SIZE_SCENARIOS,
      ...EVENT_SCENARIOS,
      ...LATENCY_SCENARIOS,
    ].map(({ name }) => name);
    expect(names.toSorted()).toEqual(all.toSorted());
  });

  it('keeps scenarios for one audience together, with six rounds a launch for a thousand subscribers', () => {
    for (const extent of ['whole', 'alone'] as const) {
      const [{ scenarios }] = familyProfile('events', { extent }).hosts;
      expect(scenarios.every(({ rounds, leading }) => leading! >= rounds)).toBe(true);
      const sizes = scenarios.map(({ scenario }) => scenarioNamed(scenario).audience);
      expect(sizes).toEqual([1000, 1000, 100, 100, 1, 1]);
      expect(scenarios[0]).toMatchObject({ scenario: 'events/to-1000', mirrored: true });
      expect(scenarios[0].rounds).toBeGreaterThanOrEqual(6);
      for (const { arms } of scenarios) expect(arms).toContain(CONTROL);
    }
  });
});
