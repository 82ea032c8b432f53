import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostPlan, Profile } from '../src/blocks/profiles.ts';
import type { Host, HostName } from '../src/hosts/host.ts';
import type { LaunchPlan } from '../src/load/plan.ts';
import { runLaunches } from '../src/load/run-launches.ts';

const SCENARIO = { scenario: 'getValue/sequential', arms: [], rounds: 1, mirrored: false };
const SILENT = { start() {}, update() {}, stop() {} };

describe('runLaunches', () => {
  let directory: string;
  const clientThat = (name: string, answer: string) => {
    const path = join(directory, `${name}.mjs`);
    writeFileSync(path, `process.once('message', (plan) => { ${answer} });`);
    return path;
  };
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'benchmark-clients-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  /** A client that reports the plan it was given, so that it can be looked at. */
  const echo = () =>
    clientThat('echo', `process.send({ type: 'report', report: { plan } }, () => process.disconnect());`);

  function start(client: string, profile: Partial<Profile> & { hosts: HostPlan[] }, begun = performance.now()) {
    const running = { now: 0, most: 0 };
    const hostOf = (name: HostName): Host => ({
      name,
      async start() {
        running.most = Math.max(running.most, ++running.now);
        return {
          url: `http://${name}`,
          stop: async () => {
            running.now--;
          },
        };
      },
    });
    const whole: Profile = {
      sizes: false,
      warmUp: false,
      countFrames: [],
      budgetMs: 60_000,
      latestMs: 60_000,
      ...profile,
    };
    const outcomes = runLaunches(whole, { client, seed: 3, hostOf, begun, progress: SILENT });
    return { outcomes, running };
  }
  const host = (name: HostName, launches: number, scenarios = [SCENARIO]): HostPlan => {
    return { host: name, launches, limitMs: 1000, scenarios };
  };

  it('takes the hosts in turn, one server at a time, each launch with a seed of its own', async () => {
    const { outcomes, running } = start(echo(), { hosts: [host('workerd', 2), host('wrangler-dev', 1)] });
    const plans = (await outcomes).map(({ report }) => (report as unknown as { plan: LaunchPlan }).plan);
    expect(plans.map(({ url }) => url)).toEqual(['http://workerd', 'http://wrangler-dev', 'http://workerd']);
    expect(plans[0].seed).not.toBe(plans[2].seed);
    expect(running).toEqual({ now: 0, most: 1 });
  });

  it('tells every launch what it is warmed up with', async () => {
    const { outcomes } = start(echo(), { hosts: [host('workerd', 2)], warmUpScenario: 'warm-up/gateway' });
    const plans = (await outcomes).map(({ report }) => (report as unknown as { plan: LaunchPlan }).plan);
    expect(plans.map(({ warmUpScenario }) => warmUpScenario)).toEqual(['warm-up/gateway', 'warm-up/gateway']);
  });

  it('counts the frames of a scenario once in a run', async () => {
    const { outcomes } = start(echo(), { hosts: [host('workerd', 2)], countFrames: [SCENARIO.scenario] });
    const counted = (await outcomes).map(({ report }) => (report as unknown as { plan: LaunchPlan }).plan.countFrames);
    expect(counted).toEqual([[SCENARIO.scenario], []]);
  });

  it('leaves a scenario out of the launches that it does not take part in', async () => {
    const scenarios = [SCENARIO, { ...SCENARIO, scenario: 'increment/sequential-1000', launches: 1 }];
    const { outcomes } = start(echo(), { hosts: [host('workerd', 2, scenarios)] });
    const plans = (await outcomes).map(({ report }) => (report as unknown as { plan: LaunchPlan }).plan);
    expect(plans.map((plan) => plan.scenarios.length)).toEqual([2, 1]);
  });

  it('begins only the launches that there must be when it is late, and none when it is very late', async () => {
    const hosts = [{ ...host('workerd', 5), atLeast: 3 }, host('wrangler-dev', 1)];
    const hostsAfter = async (ms: number) => {
      const { outcomes } = start(echo(), { hosts, budgetMs: 60_000, latestMs: 90_000 }, performance.now() - ms);
      return (await outcomes).map((each) => each.host).toSorted();
    };
    expect(await hostsAfter(0)).toHaveLength(6);
    expect(await hostsAfter(60_001)).toEqual(['workerd', 'workerd', 'workerd', 'wrangler-dev']);
    expect(await hostsAfter(90_001)).toEqual([]);
  });

  it.each([
    ['says that it failed', `process.send({ type: 'failure', message: 'wrong answer' }, () => process.disconnect());`],
    ['dies without a report', 'process.exit(3);'],
    ['throws', `throw new Error('wrong answer');`],
  ])('rejects, and stops the server, when the client %s', async (name, answer) => {
    const { outcomes, running } = start(clientThat(name.replaceAll(' ', '-'), answer), { hosts: [host('workerd', 1)] });
    await expect(outcomes).rejects.toThrow(/wrong answer|code 3/);
    expect(running.now).toBe(0);
  });
});
