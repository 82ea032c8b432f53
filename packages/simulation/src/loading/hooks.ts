import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { CLIENT_GLOBALS, OBJECT_GLOBALS } from '../platform/names.ts';
import { type Patch, ROOT, type Side, simulatedSource } from './sources.ts';

/** The module that replaces the platform's own module on the side of objects. */
const WORKERS = new URL('../platform/workers.ts', import.meta.url).href;
const GLOBALS: Readonly<Record<Side, URL>> = {
  client: new URL('../platform/client-globals.ts', import.meta.url),
  object: new URL('../platform/object-globals.ts', import.meta.url),
};
const CONDITIONS: Readonly<Record<Side, readonly string[]>> = {
  client: ['@lumenize/source'],
  object: ['@lumenize/source', 'workerd'],
};
const NAMES: Readonly<Record<Side, ReadonlySet<string>>> = { client: CLIENT_GLOBALS, object: OBJECT_GLOBALS };

/** A copy of the library. The URLs of its modules have a common query. */
interface Graph {
  readonly side: Side;
  readonly patches: readonly Patch[];
}

const graphs = new Map<string, Graph>();
let isRegistered = false;

/**
 * Creates a new graph of modules and returns its query. Modules imported with the query, and everything that they
 * import, belong to the graph.
 */
export function addGraph(side: Side, patches: readonly Patch[]): string {
  if (!isRegistered) register();
  const query = `?${side}-${graphs.size}`;
  graphs.set(query, { side, patches });
  return query;
}

function register(): void {
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const query = queryOf(context.parentURL);
      const graph = graphs.get(query);
      if (graph === undefined) return nextResolve(specifier, context);
      if (specifier === `simulation:${graph.side}`) return { url: GLOBALS[graph.side].href, shortCircuit: true };
      if (specifier === 'cloudflare:workers') return { url: WORKERS, shortCircuit: true };
      const conditions = [...CONDITIONS[graph.side], ...(context.conditions ?? [])];
      const resolved = nextResolve(specifier, { ...context, conditions });
      return isOurs(resolved.url) ? { ...resolved, url: `${resolved.url}${query}` } : resolved;
    },
    load(url, context, nextLoad) {
      const graph = graphs.get(queryOf(url));
      if (graph === undefined) return nextLoad(url, context);
      const { side, patches } = graph;
      const source = simulatedSource(new URL(url), side, patches, NAMES[side]);
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

function queryOf(url: string | undefined): string {
  const at = url?.lastIndexOf('?') ?? -1;
  return at < 0 ? '' : url!.slice(at);
}

function isOurs(url: string): boolean {
  if (!url.startsWith('file:')) return false;
  const path = fileURLToPath(url.split('?')[0]);
  return path.startsWith(ROOT) && /\.[mc]?ts$/.test(path) && !path.includes('/node_modules/');
}
