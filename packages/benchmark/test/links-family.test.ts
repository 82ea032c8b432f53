import { describe, expect, it } from 'vitest';
import { CONTROL } from '../src/blocks/arms.ts';
import type { FamilyContext } from '../src/families/family.ts';
import { LINKS_FAMILY } from '../src/families/links.ts';
import { LINK_HOSTS, linksProfile } from '../src/links/profile.ts';
import { timeResults, unavailableResults } from '../src/run-record.ts';
import { REMOTE_SCENARIOS } from '../src/scenarios/remote.ts';

const SILENT = { start() {}, update() {}, stop() {} };
const context = (changes: Partial<FamilyContext>): FamilyContext => ({
  extent: 'whole',
  seed: 1,
  progress: SILENT,
  ...changes,
});

describe('what is measured over links', () => {
  it('is every link alone, two of them in the full profile, with rounds for a verdict', () => {
    const hostsOf = (extent: FamilyContext['extent']) => linksProfile(context({ extent })).hosts;
    expect(hostsOf('alone').map(({ host }) => host)).toEqual(LINK_HOSTS);
    const whole = hostsOf('whole');
    expect(whole.map(({ host }) => host)).toEqual(['workerd-cable', 'workerd-lte']);
    for (const { launches, scenarios } of whole) {
      expect(launches).toBeGreaterThanOrEqual(3);
      expect(scenarios.map(({ scenario }) => scenario)).toEqual(REMOTE_SCENARIOS.map(({ name }) => name));
      for (const { arms, rounds } of scenarios) {
        expect(arms).toContain(CONTROL);
        expect(launches * rounds).toBeGreaterThanOrEqual(6);
      }
    }
  });

  it('is narrowed to subjects and links, of which others are refused', () => {
    const { hosts } = linksProfile(context({ subjects: ['capnweb'], hosts: ['workerd-far'] }));
    expect(hosts.map(({ host }) => host)).toEqual(['workerd-far']);
    for (const { arms } of hosts[0].scenarios) expect(arms.map(({ id }) => id)).toEqual(['capnweb']);
    expect(() => linksProfile(context({ hosts: ['workerd'] }))).toThrow(
      'no host of the family links is called workerd',
    );
    expect(() => linksProfile(context({ subjects: ['native'] }))).toThrow('no subject of the family links');
  });
});

describe('the family links', () => {
  it('measures every scenario with every subject, in ms and in round trips', { timeout: 60_000 }, async () => {
    const found = await LINKS_FAMILY.measure(context({ extent: 'quick' }));
    const rows = timeResults(found).map(({ scenario, subject }) => `${scenario} ${subject}`);
    const turn = 'remote/one-turn-100';
    const all = REMOTE_SCENARIOS.flatMap(({ name }) =>
      // The floor of a turn is all of it in one frame.
      ['lumenize', 'capnweb', 'raw', ...(name === turn ? ['raw-one-frame'] : [])].map((each) => `${name} ${each}`),
    );
    const chain = 'remote/chain-3 raw';
    expect(rows).toEqual(all.filter((each) => each !== chain));
    expect(unavailableResults(found).map(({ scenario, subject }) => `${scenario} ${subject}`)).toEqual([chain]);

    const figures = found.results.filter((each) => 'value' in each);
    expect(figures.map(({ scenario, subject }) => `${scenario} ${subject}`)).toEqual(rows);
    for (const { scenario, subject, value, unit, detail } of figures) {
      // A connection takes three: the handshake, the upgrade and the first call, which may go with the upgrade.
      const least = scenario !== 'remote/connect' ? 1 : subject === 'lumenize' ? 2 : 3;
      expect(value).toBeGreaterThanOrEqual(least - 0.1);
      expect(unit).toBe('round trips');
      expect(detail).toMatchObject({ rttMs: 1 });
    }
    const turns = timeResults(found).filter(({ scenario }) => scenario === turn);
    expect(turns.map(({ framesUp, framesDown }) => [framesUp, framesDown])).toEqual([
      [1, 1],
      [300, 100],
      [100, 100],
      [1, 1],
    ]);

    const { results, analysis, configuration } = LINKS_FAMILY.entry(JSON.parse(JSON.stringify(found)));
    for (const { name } of REMOTE_SCENARIOS) expect(results).toContain(name);
    expect(results).toContain('workerd over “lan” (1 ms, 1000 Mbit/s)');
    expect(results).toMatch(/remote\/chain-3 +│raw +│it has no calls/);
    expect(analysis[0]).toMatch(/^Over “lan”/);
    expect(configuration.join()).toContain('lost packet');
  });
});
