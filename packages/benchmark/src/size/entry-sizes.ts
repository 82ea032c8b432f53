import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { ROOT } from '../root.ts';
import { bundleForBrowser, gzipBytes } from './browser-bundle.ts';
import type { SizeFigure } from './size-figure.ts';
import { bundleForWorker } from './worker-bundle.ts';

/** Something that is bundled: a module, what it is called, and where it is loaded. */
interface Bundled {
  readonly scenario: string;
  readonly subject: 'lumenize' | 'capnweb';
  readonly host: 'browser' | 'workerd';
  readonly module: string;
}

/** The entries that only a Worker loads. */
const IN_WORKERS: ReadonlySet<string> = new Set(['server', 'binding']);
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
export function measureEntrySizes(subjects: readonly string[]): Promise<SizeFigure[]> {
  const wanted = [...entries(), ...SERVING].filter(({ subject }) => subjects.includes(subject));
  return Promise.all(wanted.map(measure));
}

function entries(): Bundled[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages/rpc/package.json'), 'utf8'));
  const names = Object.keys(manifest.exports as object).map((path) => path.replace(/^\.\/?/, ''));
  return [
    ...names.map(
      (name): Bundled => ({
        scenario: `all of ${name || CLIENT}`,
        subject: 'lumenize',
        host: IN_WORKERS.has(name) ? 'workerd' : 'browser',
        module: `export * from '${join(manifest.name, name)}'`,
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

async function measure({ module, ...bundled }: Bundled): Promise<SizeFigure> {
  const code = await (bundled.host === 'browser' ? bundleForBrowser : bundleForWorker)(module);
  return {
    family: 'size',
    ...bundled,
    unit: 'B',
    value: gzipBytes(code),
    n: 1,
    detail: { minifiedBytes: code.byteLength, brotliBytes: brotliCompressSync(code).byteLength },
  };
}
