import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostName } from '@lumenize/hosts/host';
import { describe, expect, it, vi } from 'vitest';
import { bundleTasks } from '../src/engine/bundle.ts';
import type { ClientProcess } from '../src/engine/client-process.ts';
import { measure } from '../src/engine/measure.ts';
import type { Family, Launch, Plan, Report, Wanted } from '../src/engine/plan.ts';
import { type Asked, FAMILIES, familiesFor } from '../src/families/all.ts';
import { measure as run } from '../src/measure.ts';
import { SILENT } from './support/quickly.ts';

const ABOUT = { name: 'one', about: '', subjects: ['raw'], hosts: ['workerd'], configuration: ['as it is'] } as const;
type Tasks = typeof import('./support/tasks.ts');

/** A plan with a launch that can be looked at. */
const planOf = (launch: (launch: Launch) => Promise<Report>, changes: Partial<Plan> = {}): Plan => ({
  ...{ scenarios: [], places: [place('workerd', 1)] },
  open: async () => launch,
  ...changes,
});
const place = (host: HostName, launches: number, atLeast = launches) => ({ host, launches, atLeast });
const carriedOut = (plan: Plan) => measure({ ...ABOUT, plan: () => plan }, 'alone', {}, { seed: 3, progress: SILENT });

describe('measure', () => {
  it('takes the places in turn, one launch at a time, each with a seed of its own', async () => {
    const seen: string[] = [];
    let now = 0;
    const plan = planOf(
      async ({ host, seed }) => {
        expect(++now).toBe(1);
        await Promise.resolve();
        now--;
        seen.push(`${host} ${seed}`);
        return {};
      },
      { places: [place('workerd', 2), place('wrangler-dev', 1)] },
    );
    expect((await carriedOut(plan)).launches.map(({ host }) => host)).toEqual(['workerd', 'wrangler-dev', 'workerd']);
    expect(seen).toEqual(['workerd 3000', 'wrangler-dev 3000', 'workerd 3001']);
  });

  it('begins only the launches that there must be when it is late, and none when it is very late', async () => {
    const places = [place('workerd', 5, 3), place('wrangler-dev', 1)];
    const hostsAfter = async (ms: number) => {
      const now = vi.spyOn(performance, 'now');
      const late = planOf(async () => ({}), {
        ...{ places, budgetMs: 60_000, latestMs: 90_000 },
        async open() {
          const at = performance.now();
          now.mockImplementation(() => at + ms);
          return async () => ({});
        },
      });
      try {
        return (await carriedOut(late)).launches.map((each) => each.host).toSorted();
      } finally {
        now.mockRestore();
      }
    };
    expect(await hostsAfter(0)).toHaveLength(6);
    expect(await hostsAfter(60_001)).toEqual(['workerd', 'workerd', 'workerd', 'wrangler-dev']);
    expect(await hostsAfter(90_001)).toEqual([]);
  });

  it('stops all that a launch has started, the newest first, also when it fails', async () => {
    const stopped: string[] = [];
    const server = (name: string) => ({ stop: () => stopped.push(name) });
    const plan = planOf(async (launch) => {
      await launch.keep(server('first'));
      await launch.keep(Promise.resolve(server('second')));
      throw new Error('7 instead of 8');
    });
    await expect(carriedOut(plan)).rejects.toThrow('7 instead of 8');
    expect(stopped).toEqual(['second', 'first']);
  });

  it('gathers rows, comparisons and extras of all launches', async () => {
    const figures = [{ scenario: 'size', arm: 'raw', unit: 'B', value: 1 }];
    const { rows, extras } = await carriedOut(
      planOf(async ({ number }) => ({ figures, extra: number }), { places: [place('workerd', 3)] }),
    );
    expect(rows).toMatchObject([{ family: 'one', scenario: 'size', subject: 'raw', value: 1, n: 3 }]);
    expect(extras).toEqual([0, 1, 2]);
  });
});

/** Carries out a launch that uses a client, of the module `other` one that ends as it begins. */
const withClient = (use: (client: ClientProcess<Tasks>) => Promise<unknown>, module = 'client') =>
  carriedOut({
    ...planOf(async () => ({})),
    async open(directory) {
      await bundleTasks(new URL('./support/tasks.ts', import.meta.url), directory);
      writeFileSync(join(directory, 'other.mjs'), "throw new Error('not even begun')");
      return async (launch) => use(launch.client(join(directory, `${module}.mjs`))).then(() => ({}));
    },
  });

describe('a client process', () => {
  it('does what it is asked, and keeps its state', async () => {
    await withClient(async (client) => {
      expect(await client.ask('add', 2)).toBe(2);
      expect(await client.ask('add', 3)).toBe(5);
    });
  });

  it.each([
    ['fails', 'client', 'fail', 'wrong answer'],
    ['dies without an answer', 'client', 'die', 'ended with code 3'],
    ['does not even begin', 'other', 'fail', 'not even begun'],
  ] as const)('rejects when it %s', async (_, module, task, why) => {
    await expect(withClient((client) => client.ask(task, undefined), module)).rejects.toThrow(why);
  });
});

it('run measures one family after the other, each asked for what it knows, and names the one that fails', async () => {
  const heard: Wanted[] = [];
  const doing: string[] = [];
  const family = (name: string, subjects: readonly string[]): Family => ({
    ...{ ...ABOUT, name, subjects },
    plan(_extent, wanted) {
      heard.push(wanted);
      return planOf(async () => ({ figures: [{ scenario: 'x', arm: 'raw', unit: 'B', value: 1 }] }));
    },
  });
  const progress = { ...SILENT, update: (text: string) => void doing.push(text) };
  const families = [family('one', ['lumenize', 'raw']), family('two', ['lumenize'])];
  const { record } = await run('full', families, 'whole', { subjects: ['raw'] }, { seed: 7, progress });
  expect(heard.map(({ subjects }) => subjects)).toEqual([['raw'], []]);
  expect(doing).toContain('two (2 of 2): workerd, launch 1 of 1');
  expect(record).toMatchObject({ schema: 2, profile: 'full', seed: 7 });
  expect(record.families.map(({ name, configuration }) => [name, configuration])).toEqual([
    ['one', ['as it is']],
    ['two', ['as it is']],
  ]);
  expect(record.rows.map((row) => row.family)).toEqual(['one', 'two']);
  expect(record.launches.map((launch) => launch.family)).toEqual(['one', 'two']);

  const plan = () => planOf(() => Promise.reject(new Error('7 instead of 8')));
  const failing: Family = { ...ABOUT, name: 'three', plan };
  await expect(run('full', [failing], 'whole', {}, { seed: 7, progress })).rejects.toThrow(
    'the family three failed: 7 instead of 8',
  );
});

describe('familiesFor', () => {
  it('takes all, those that are named, and those that know a subject and a host', async () => {
    const names = async (asked: Asked) => (await familiesFor(asked)).map(({ name }) => name);
    expect(await names({})).toEqual([...FAMILIES.keys()]);
    expect(await names({ names: ['events', 'counter'] })).toEqual(['counter', 'events']);
    expect(await names({ subjects: ['cbor-x'] })).toEqual(['values']);
    expect(await names({ subjects: ['cbor-x', 'raw-one-frame'] })).toEqual(['counter', 'links', 'values']);
    expect(await names({ payloads: ['tree'] })).toEqual(['values']);
  });

  const url = 'http://127.0.0.1:1';
  it.each<[asked: Asked, why: string]>([
    [{ names: ['count'] }, 'no family is called count; there are counter, pipeline'],
    [
      { names: ['counter'], subjects: ['cbor-x'] },
      'no subject of the family counter is called cbor-x; there are lumenize',
    ],
    [{ hosts: ['bun'] }, 'no host of any family is called bun'],
    [{ names: ['counter'], payloads: ['tree'] }, '--payload is for the family values'],
    [{ workloads: ['chain-3'] }, '--workload and --top go with --family profile'],
    [{ since: 'no-such-commit' }, 'git knows no commit called no-such-commit here'],
    [{ since: 'HEAD', names: ['links'] }, 'no family to compare is called links; there are counter, events'],
    [{ since: 'HEAD', hosts: ['node'] }, '--since goes with no subject, host or payload'],
    [{ url, names: ['links'] }, '--url goes with --subject, and with no family, host, payload or commit'],
    [{ url, subjects: ['native'] }, 'no subject of a deployed Worker is called native'],
    [{ url }, `${url} does not answer: `],
    [{ url: 'lumenize.example.workers.dev' }, 'is not an address such as https://'],
    [{ url: 'ftp://example.com' }, 'is not an address such as https://'],
    [{ url: `${url}/rpc/counter/a` }, `give the address of the Worker alone, ${url}, and not`],
  ])('refuses %o', async (asked, why) => {
    await expect(familiesFor(asked)).rejects.toThrow(why);
  });
});
