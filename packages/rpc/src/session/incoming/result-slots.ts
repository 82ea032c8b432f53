import { Recording } from '../../protocol/recording.ts';

/** A place in a value where a reference stands. */
interface Slot<Reference> {
  reference: Reference;
  put(value: unknown): void;
}

/**
 * Finds the references in decoded data: in arrays, plain objects, Maps, Sets, errors and captures, also inside each other. `finish` is
 * called when all have been put.
 */
export function findReferences<Reference extends object>(
  root: unknown[],
  kind: new (...args: never[]) => Reference,
): { slots: Slot<Reference>[]; finish(): void } {
  const slots: Slot<Reference>[] = [];
  const rebuilds: (() => void)[] = [];
  const visited = new Set<object>();
  const waiting: object[] = [root];

  const visit = (value: unknown): value is Reference => {
    if (typeof value !== 'object' || value === null) return false;
    if (value instanceof kind) return true;
    waiting.push(value);
    return false;
  };
  const visitFields = (container: object, keys: readonly string[]) => {
    const fields = container as Record<string, unknown>;
    for (const key of keys) {
      const value = fields[key];
      // An error's cause is not enumerable.
      if (visit(value)) slots.push({ reference: value, put: (value) => Object.defineProperty(fields, key, { value }) });
    }
  };
  const visitItems = (items: unknown[]): boolean => {
    const before = slots.length;
    for (let index = 0; index < items.length; index++) {
      const value = items[index];
      if (visit(value)) slots.push({ reference: value, put: (value) => (items[index] = value) });
    }
    return slots.length > before;
  };

  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const container = next;
    if (visited.has(container)) continue;
    visited.add(container);
    if (container instanceof Map || container instanceof Set) {
      // A key or member that changes keeps its place only if all are put in anew.
      const items = itemsOf(container);
      if (visitItems(items)) rebuilds.push(() => refill(container, items));
    } else if (container instanceof Recording) waiting.push(container.captures);
    else if (Array.isArray(container)) {
      visitItems(container);
      visitFields(container, namesOf(container));
    } else if (container instanceof Error || isPlain(container)) {
      visitFields(container, Object.getOwnPropertyNames(container));
    }
  }
  const finish = () => {
    for (const rebuild of rebuilds) rebuild();
  };
  return { slots, finish };
}

/** Whether something may stand inside; bytes, say, have keys by the million and nothing to find. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** The named properties of a list. Where it has none, as nearly all, no strings are made of its indices: they would take a hundred times its bytes. */
function namesOf(list: unknown[]): string[] {
  // Which passes holes over.
  const indices = list.reduce((count: number) => count + 1, 0);
  return Object.values(list).length > indices ? Object.keys(list).slice(indices) : [];
}

function itemsOf(container: Map<unknown, unknown> | Set<unknown>): unknown[] {
  if (container instanceof Set) return [...container];
  const items: unknown[] = [];
  for (const [key, value] of container) items.push(key, value);
  return items;
}

function refill(container: Map<unknown, unknown> | Set<unknown>, items: readonly unknown[]): void {
  container.clear();
  if (container instanceof Set) for (const item of items) container.add(item);
  else for (let index = 0; index < items.length; index += 2) container.set(items[index], items[index + 1]);
}
