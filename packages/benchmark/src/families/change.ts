import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BesideHost } from '@lumenize/hosts/beside';
import { ROOT } from '@lumenize/hosts/root';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { COUNTER_WORKER, readWorkerConfig, WORK_WORKER } from '@lumenize/hosts/worker-config';
import { WorkerdHost } from '@lumenize/hosts/workerd';
import { type BlocksPlace, planBlocks } from '../blocks/blocks.ts';
import { bundleModule, SOURCES } from '../engine/bundle.ts';
import type { Arm, Family } from '../engine/plan.ts';
import { scenarioNamed } from '../scenarios/all.ts';
import { armsOf, CONTROL } from '../subjects/arms.ts';
import type { SubjectName } from '../subjects/subject.ts';
import { COUNTER } from './counter.ts';
import { WORK_FAMILIES } from './work.ts';

/** The scope of the packages that each state of the code brings itself. */
const OWN_PACKAGES = '@lumenize';
const ENTRY = "export { connect } from '@lumenize/rpc';\n";

/** The families whose scenarios can be compared with an earlier state, and their Workers. */
const COMPARABLE = [
  [COUNTER, COUNTER_WORKER],
  [WORK_FAMILIES.find(({ name }) => name === 'events')!, WORK_WORKER],
] as const;

export const COMPARABLE_FAMILIES: readonly string[] = COMPARABLE.map(([{ name }]) => name);

/**
 * Creates the family of calls, or of events, through this code and through that of the commit called `name`. It
 * measures the effect of a change. Throws if there is no such commit.
 */
export function changeFamily(name: string, of = 'counter'): Family {
  const { hash, subject } = commitNamed(name);
  const [family, file] = COMPARABLE.find(([each]) => each.name === of)!;
  const earlier: Arm<SubjectName> = { id: `at-${hash}`, subject: 'earlier' };
  // Two arms, like the other subject, because a server and a client that are called twice as often are warmer.
  const arms = [...armsOf('lumenize'), CONTROL, earlier, { ...earlier, id: `${earlier.id}-again` }];
  const [place] = family.plan('alone', {}).places as readonly BlocksPlace[];
  // With fewer arms there is time for more rounds, except of the longest scenarios.
  const scenarios = place.scenarios.flatMap(({ scenario, rounds, leading = 1 }) =>
    scenarioNamed(scenario).long ? [] : [{ scenario, arms, rounds: 2 * rounds, leading: 2 * leading }],
  );
  return {
    name: 'change',
    about: 'calls, or events, through this code and through that of an earlier commit',
    subjects: ['lumenize', earlier.id],
    hosts: ['workerd'],
    configuration: [
      `Before is ${earlier.id}: the client and the server of ${hash}, “${subject}”, with the packages that are installed now`,
      'Both states are bundled from their sources in the same way; each has a server of its own in every launch, both are called from one process, in turn',
    ],
    plan: (extent) =>
      planBlocks(
        {
          ...{ conditions: SOURCES, budgetMs: 110_000, latestMs: 120_000 },
          compared: { pairs: [{ subject: 'lumenize', baseline: earlier.id }], control: CONTROL },
          places: [{ host: 'workerd', launches: 6, atLeast: 3, limitMs: 14_000, scenarios }],
          async hosts(directory) {
            const config = readWorkerConfig(file);
            const now = await bundleWorker(config.main, directory, SOURCES);
            const { worker, client } = await bundleEarlier(hash, config.main, directory);
            const host = new BesideHost(new WorkerdHost(now, config), new WorkerdHost(worker, config), client);
            return () => host;
          },
        },
        extent,
      ),
  };
}

/** Returns the commit that `name` refers to. Throws if git does not know it. */
function commitNamed(name: string): { hash: string; subject: string } {
  try {
    const [hash, subject] = git('log', '-1', '--format=%h%n%s', `${name}^{commit}`).trim().split('\n');
    return { hash, subject };
  } catch {
    throw new Error(`git knows no commit called ${name} here`);
  }
}

/**
 * Bundles the Worker at `main`, and a module with the client's `connect`, as they were at a commit. The bundles are in
 * `directory`, and use the registry packages that are installed now.
 */
async function bundleEarlier(hash: string, main: string, directory: string) {
  const earlier = join(directory, 'earlier');
  const [code, worker, client] = ['code', 'worker', 'client'].map((name) => join(earlier, name));
  for (const each of [code, worker, client]) mkdirSync(each, { recursive: true });
  const archive = join(earlier, 'code.tar');
  git('archive', `--output=${archive}`, hash, 'packages', 'examples', 'tsconfig.base.json');
  execFileSync('tar', ['-xf', archive, '-C', code]);
  // The earlier code finds its own packages beside it, and all other packages in the folder above.
  symlinkSync(join(ROOT, 'node_modules'), join(earlier, 'node_modules'));
  const own = join(code, 'node_modules', OWN_PACKAGES);
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(code, 'packages'))) symlinkSync(join(code, 'packages', name), join(own, name));
  const entry = join(code, 'connect.ts');
  writeFileSync(entry, ENTRY);
  return {
    worker: await bundleWorker(join(code, relative(ROOT, main)), worker, SOURCES),
    client: await bundleModule(entry, client, { conditions: SOURCES }),
  };
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
