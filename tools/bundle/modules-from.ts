import type { ChunkingContext } from 'rolldown';

/** Returns the modules that an entry leads to, and the entry. */
export function modulesFrom(entry: string, context: ChunkingContext): ReadonlySet<string> {
  const modules = new Set([entry]);
  // The set grows while it is gone through.
  for (const id of modules) {
    for (const next of context.getModuleInfo(id)?.importedIds ?? []) modules.add(next);
  }
  return modules;
}
