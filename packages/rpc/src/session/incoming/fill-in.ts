import { RpcError } from '../../errors/rpc-error.ts';
import type { ResultReference } from '../../protocol/address.ts';
import { Recording } from '../../protocol/recording.ts';
import type { Pending } from '../../protocol/result-frame.ts';
import { isPlainData } from '../data-members.ts';
import { READY, whenAll } from './perform.ts';

/**
 * Replaces references in arguments with the results that `resolve` returns for them. Fails with the first failed
 * result.
 */
export function fillIn(
  args: unknown[],
  references: readonly ResultReference[],
  resolve: (reference: ResultReference) => Pending,
): Pending {
  return whenAll(references.map(resolve), (outcomes) => {
    const values = new Map<unknown, unknown>();
    for (const [place, outcome] of outcomes.entries()) {
      if (!outcome.ok) return outcome;
      values.set(references[place], outcome.value);
    }
    if (replaceIn(args, values)) return READY;
    const message = 'in arguments, an instance of a class cannot hold stubs or results of this connection';
    return { ok: false, error: new RpcError('NOT_CLONEABLE', message) };
  });
}

/**
 * Replaces values in decoded data: in arrays, plain objects, Maps, Sets, errors and captures, at any depth. Returns
 * false if a value was not found there.
 */
export function replaceIn(root: object, values: ReadonlyMap<unknown, unknown>): boolean {
  const missing = new Set(values.keys());
  // The loop also visits the containers that are added while it runs.
  const containers = new Set([root]);
  const replaced = (value: unknown): unknown => {
    missing.delete(value);
    if (values.has(value)) return values.get(value);
    if (typeof value === 'object' && value !== null) containers.add(value);
    return value;
  };
  for (const container of containers) {
    if (container instanceof Map || container instanceof Set) {
      // All entries are added again: only then does a changed key or member keep its place.
      const entries = [...container.entries()];
      container.clear();
      for (const [key, value] of entries) {
        if (container instanceof Map) container.set(replaced(key), replaced(value));
        else container.add(replaced(key));
      }
    } else {
      if (container instanceof Recording) containers.add(container.captures);
      if (Array.isArray(container)) {
        container.forEach((item, index) => {
          container[index] = replaced(item);
        });
      }
      for (const name of namesIn(container)) {
        const field = (container as Record<string, unknown>)[name];
        const value = replaced(field);
        // The cause of an error is not enumerable.
        if (value !== field) Object.defineProperty(container, name, { value });
      }
    }
  }
  return missing.size === 0;
}

/**
 * Returns the names of properties that may hold a value to replace. Binary data has millions of keys and nothing to
 * find.
 */
function namesIn(container: object): readonly string[] {
  if (!Array.isArray(container)) {
    return container instanceof Error || isPlainData(container) ? Object.getOwnPropertyNames(container) : [];
  }
  // Nearly all lists have no named properties. Making strings of their indices would take a hundred times the bytes of
  // the list.
  const indices = container.reduce((count: number) => count + 1, 0);
  return Object.values(container).length > indices ? Object.keys(container).slice(indices) : [];
}
