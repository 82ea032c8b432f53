import { pathToFileURL } from 'node:url';
import { addGraph } from './hooks.ts';
import { type Patch, ROOT, requireFits } from './sources.ts';

/** The library as users of a client import it. */
export type ClientLibrary = typeof import('@lumenize/rpc');

/** Exports of a Worker's entry module: its handler, and the classes of its objects. */
export type WorkerModule = Readonly<Record<string, unknown>>;

/** The library in two copies, one for clients and one for objects. */
export interface Library {
  readonly client: ClientLibrary;
  readonly connectHttp: typeof import('@lumenize/rpc/http').connectHttp;
  /** Imports a module into the copy of clients: by a path from the repository's folder, or as packages are named. */
  importClient(specifier: string): Promise<WorkerModule>;
  /** Imports a module, such as the entry of a Worker, into the copy of objects. */
  importObject(specifier: string): Promise<WorkerModule>;
}

export interface LoadLibraryOptions {
  /** Defects to plant. */
  readonly mutant?: readonly Patch[];
}

let clean: Promise<Library> | undefined;

/**
 * Loads the library's sources, unchanged but for the defects that are to be planted. Without any it is loaded once: worlds
 * run one after the other, and each forgets what the one before has left in modules.
 * @throws {Error} where a defect does not fit its file
 */
export function loadLibrary({ mutant = [] }: LoadLibraryOptions = {}): Promise<Library> {
  for (const patch of mutant) requireFits(patch);
  if (mutant.length > 0) return load(mutant);
  clean ??= load(mutant);
  return clean;
}

async function load(patches: readonly Patch[]): Promise<Library> {
  const importer = (query: string) => (specifier: string) => import(`${urlOf(specifier)}${query}`);
  const importClient = importer(addGraph('client', patches));
  const importObject = importer(addGraph('object', patches));
  const client = (await importClient('packages/rpc/src/index.ts')) as unknown as ClientLibrary;
  const { connectHttp } = (await importClient('packages/rpc/src/http.ts')) as unknown as Pick<Library, 'connectHttp'>;
  return { client, connectHttp, importClient, importObject };
}

function urlOf(specifier: string): string {
  return specifier.startsWith('file:') ? specifier : pathToFileURL(`${ROOT}${specifier}`).href;
}
