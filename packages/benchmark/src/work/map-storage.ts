import type { KeyValues } from './work.ts';

/** Returns the storage of one object where there are no Durable Objects, the same each time. */
export function mapStorage(objects: Map<string, KeyValues>, instance: string): KeyValues {
  const known = objects.get(instance);
  if (known) return known;
  const values = new Map<string, number>();
  const storage: KeyValues = {
    get: (key) => values.get(key),
    put: (key, value) => void values.set(key, value),
    delete: (key) => values.delete(key),
  };
  objects.set(instance, storage);
  return storage;
}
