import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { bundleForBrowser, bundleForWorker, gzipBytes } from '@lumenize/hosts/browser-bundle';
import { ROOT } from '@lumenize/hosts/root';
import type { Extent, Family, Plan, Wanted } from '../engine/plan.ts';
import type { Row } from '../engine/row.ts';
import { exportsOf } from '../size/parsed.ts';

/** The code that is loaded for a task, or for a whole entry: one file, bundled and minified. */
export interface Loaded {
  readonly scenario: string;
  readonly subject: SizedSubject;
  /** The place that loads the code. */
  readonly host: 'browser' | 'workerd';
  readonly file: Uint8Array;
}

/** The subjects that have sizes. */
export type SizedSubject = 'lumenize' | 'capnweb';

/** The name of the first size: the code of a page that connects and calls. */
export const CONNECT = 'connect and call';

/** The minimal code that a page loads to call, and that a Durable Object loads to serve, with each subject. */
export const SIZED: Readonly<Record<SizedSubject, { client: string; server: string }>> = {
  lumenize: {
    client: `export { connect } from '@lumenize/rpc'`,
    server: `export { RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server'`,
  },
  capnweb: {
    client: `export { newWebSocketRpcSession } from 'capnweb'`,
    server: `export { newWorkersRpcResponse, RpcTarget } from 'capnweb'`,
  },
};
const SUBJECTS = Object.keys(SIZED) as SizedSubject[];

/** The parts that work without the rest of Lumenize RPC. */
export const ALONE = {
  // A page that only calls.
  'core alone': `export { connect } from '@lumenize/rpc/core'`,
  // Everything that Cap'n Web can do too: calls, references, callbacks, streams and `map`, and values of the platform.
  'what Cap’n Web has': `export { allTypes, connect, mapping, references, streams } from '@lumenize/rpc/core'`,
  'encode and decode': `export { decode, encode } from '@lumenize/structured-clone'`,
  'all of codec': `export * from '@lumenize/structured-clone'`,
  'codec of the common types': `export { checkText, common, fromMessage, isMarked, read, resolveLimits, toMessage, write } from '@lumenize/structured-clone/messages'`,
} as const;

/** The packages beside the core. Their sizes do not include the packages that they import. */
export const BESIDE = [
  ...['stores', 'react', 'vue', 'svelte', 'solid', 'tanstack-query', 'inspect', 'capnweb'],
  ...['state', 'state/server', 'state/react', 'state/presence', 'state/presence/server'],
  ...['state/uploads', 'state/uploads/server'],
];
const IMPORTED_BY_THEM = [
  ...['@lumenize/rpc', '@lumenize/stores', '@lumenize/structured-clone', 'react', 'vue', 'svelte', 'solid-js'],
  ...['@tanstack/*', 'capnweb', 'cloudflare:*'],
];

/** The entries that only Workers load. */
const IN_WORKERS: ReadonlySet<string> = new Set(['server', 'binding']);
/** Matches the entries that neither pages nor Workers load. */
const FOR_TESTS = /^testing(?:$|\/)/;

/** Sizes of the code that pages and Workers load. Nothing is timed, and sizes do not vary. */
export const SIZE = {
  name: 'size',
  about: 'bundles of every entry for pages and Workers, min, gzip and brotli',
  subjects: SUBJECTS,
  hosts: ['workerd'],
  configuration: [
    `Bundles: one file by esbuild, minified, es2022 for a browser and es2024 for a Worker; “${CONNECT}” is what a page loads to do that; “core alone” is the same of a client without parts, and “what Cap’n Web has” with those for what Cap’n Web does; “all of …” has everything that an entry exports; gzip at its best level, which is the figure, and brotli at its default, which is the best`,
  ],
  plan(_extent: Extent, { subjects = SUBJECTS }: Wanted): Plan {
    const wanted = SUBJECTS.filter((each) => subjects.includes(each));
    let rows: readonly Row[] = [];
    return {
      // There is nothing to launch.
      places: [{ host: 'workerd', launches: 0 }],
      scenarios: [],
      more: () => rows,
      async open() {
        // Sizes are the same however busy the machine is.
        const loaded = await Promise.all(wanted.map((subject) => loadedByEntries(subject)));
        rows = loaded.flat().map(sizeRow);
        return async () => ({});
      },
    };
  },
} satisfies Family;

/** Returns the row with the sizes of loaded code. */
export function sizeRow({ file, ...loaded }: Loaded): Row {
  const detail = { minifiedBytes: file.byteLength, brotliBytes: brotliCompressSync(file).byteLength };
  return { family: 'size', ...loaded, unit: 'B', value: gzipBytes(file), n: 1, detail };
}

/**
 * Bundles the code of a page that connects and calls, which comes first; every entry of the package with all its
 * exports; and the codec alone. For Cap'n Web, bundles its one entry for either place.
 */
export async function loadedByEntries(subject: SizedSubject): Promise<Loaded[]> {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages/rpc/package.json'), 'utf8'));
  const entries = Object.keys(manifest.exports).map((path) => path.replace(/^\.\/?/, ''));
  const names = subject === 'capnweb' ? ['', 'server'] : entries.filter((name) => !FOR_TESTS.test(name));
  /** Everything that users import from an entry. Its file may export more, which it shares with other entries. */
  const all = (name: string) => {
    if (subject === 'capnweb') return "export * from 'capnweb'";
    const source = manifest.exports[name === '' ? '.' : `./${name}`]['@lumenize/source'];
    const names = exportsOf(readFileSync(join(ROOT, 'packages/rpc', source), 'utf8'), 'values');
    return `export { ${names.join(', ')} } from '${join(manifest.name, name)}'`;
  };
  const modules = [
    [CONNECT, '', SIZED[subject].client],
    ...names.map((name) => [`all of ${name || 'client'}`, name, all(name)]),
    ['serve a target', 'server', SIZED[subject].server],
    ...(subject === 'lumenize' ? Object.entries(ALONE) : [['what Cap’n Web has', SIZED.capnweb.client] as const]).map(
      ([scenario, module]) => [scenario, '', module],
    ),
  ];
  return Promise.all([
    ...modules.map(async ([scenario, name, module]): Promise<Loaded> => {
      const inWorker = IN_WORKERS.has(name);
      const file = await (inWorker ? bundleForWorker(module) : bundleForBrowser(module));
      return { scenario, subject, host: inWorker ? 'workerd' : 'browser', file };
    }),
    ...(subject === 'lumenize' ? BESIDE : []).map(async (name): Promise<Loaded> => {
      const from = `@lumenize/${name}`;
      const imported = IMPORTED_BY_THEM.filter((each) => each !== from);
      const file = await bundleForBrowser(`export * from '${from}'`, undefined, imported);
      return { scenario: `own code of ${name}`, subject, host: 'browser', file };
    }),
  ]);
}
