import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleForBrowser } from '@lumenize/hosts/browser-bundle';
import { ROOT } from '@lumenize/hosts/root';
import { type Loaded, sizeFigure } from './loaded.ts';
import type { SizeFigure } from './size-figure.ts';
import { bundleForWorker } from './worker-bundle.ts';

/** Something that is bundled: a module, what it is called, and where it is loaded. */
interface Bundled extends Omit<Loaded, 'files'> {
  readonly module: string;
  /** Packages that users install themselves, if they want to. */
  readonly external?: string[];
}

/** The entries that only a Worker loads. */
const IN_WORKERS: ReadonlySet<string> = new Set(['server', 'binding']);
/** Those that no page and no Worker loads. */
const FOR_TESTS = /^testing(?:$|\/)/;
const CLIENT = 'client';

/** What is written to serve a target from a Durable Object: the least of either package. */
const SERVING: readonly Bundled[] = [
  {
    scenario: 'serve a target',
    subject: 'lumenize',
    host: 'workerd',
    module: `export { RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server'`,
  },
  {
    scenario: 'serve a target',
    subject: 'capnweb',
    host: 'workerd',
    module: `export { newWorkersRpcResponse, RpcTarget } from 'capnweb'`,
  },
];

/**
 * Bundles and minifies every entry of the package, with all that it exports and can load, and returns the sizes of the
 * outcomes; beside them Cap'n Web, whose one entry is client and server alike, for either place.
 */
export async function measureEntrySizes(subjects: readonly string[]): Promise<SizeFigure[]> {
  return (await loadedByEntries(subjects)).map(sizeFigure);
}

/** Bundles what `measureEntrySizes` measures. */
export function loadedByEntries(subjects: readonly string[]): Promise<Loaded[]> {
  const wanted = [...entries(), ...SERVING].filter(({ subject }) => subjects.includes(subject));
  return Promise.all(
    wanted.map(async ({ module, external, ...loaded }) => {
      const isForBrowser = loaded.host === 'browser';
      const file = await (isForBrowser
        ? bundleForBrowser(module, undefined, external)
        : bundleForWorker(module, external));
      return { ...loaded, files: [file] };
    }),
  );
}

function entries(): Bundled[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages/rpc/package.json'), 'utf8'));
  const external = Object.keys(manifest.peerDependencies ?? {});
  const names = Object.keys(manifest.exports as object)
    .map((path) => path.replace(/^\.\/?/, ''))
    .filter((name) => !FOR_TESTS.test(name));
  return [
    ...names.map(
      (name): Bundled => ({
        scenario: `all of ${name || CLIENT}`,
        subject: 'lumenize',
        host: IN_WORKERS.has(name) ? 'workerd' : 'browser',
        module: `export * from '${join(manifest.name, name)}'`,
        external,
      }),
    ),
    ...([CLIENT, 'server'] as const).map(
      (name): Bundled => ({
        scenario: `all of ${name}`,
        subject: 'capnweb',
        host: name === CLIENT ? 'browser' : 'workerd',
        module: `export * from 'capnweb'`,
      }),
    ),
  ];
}
