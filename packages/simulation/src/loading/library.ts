import { pathToFileURL } from 'node:url';
import { addGraph } from './hooks.ts';
import { type Patch, ROOT, requireFits } from './sources.ts';

/** The library as client code imports it. */
export type ClientLibrary = typeof import('@lumenize/rpc');

/** The exports of a Worker's entry module: its handler and the classes of its objects. */
export type WorkerModule = Readonly<Record<string, unknown>>;

/** The library in two copies, one for clients and one for objects. */
export interface Library {
  readonly client: ClientLibrary;
  readonly connectHttp: typeof import('@lumenize/rpc/http').connectHttp;
  /** Imports a module into the copy of clients: a path from the repository's folder, or the name of a package. */
  importClient(specifier: string): Promise<WorkerModule>;
  /** Imports a module, such as the entry of a Worker, into the copy of objects. */
  importObject(specifier: string): Promise<WorkerModule>;
}

export interface LoadLibraryOptions {
  /** The defects to plant. */
  readonly mutant?: readonly Patch[];
}

let clean: Promise<Library> | undefined;

/**
 * Loads the library's sources, unchanged except for the planted defects. Without defects it is loaded only once: worlds
 * run one after the other, and each resets the module state that the one before left.
 * @throws {Error} if a defect does not fit its file
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
