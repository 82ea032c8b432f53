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

  const visit = (value: unknown, put: (value: unknown) => void): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    if (value instanceof kind) slots.push({ reference: value, put });
    else waiting.push(value);
    return value instanceof kind;
  };

  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const container = next;
    if (visited.has(container)) continue;
    visited.add(container);
    if (container instanceof Map || container instanceof Set) {
      // A key or member that changes keeps its place only if all are put in anew.
      const items = container instanceof Map ? [...container].flat() : [...container];
      const found = items.map((item, index) => visit(item, (value) => (items[index] = value)));
      if (found.includes(true)) rebuilds.push(() => refill(container, items));
    } else if (container instanceof Recording) waiting.push(container.captures);
    else if (Array.isArray(container) || container instanceof Error || isPlain(container)) {
      // An error's cause is not enumerable.
      for (const key of Object.getOwnPropertyNames(container)) {
        const fields = container as Record<string, unknown>;
        visit(fields[key], (value) => Object.defineProperty(fields, key, { value }));
      }
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

function refill(container: Map<unknown, unknown> | Set<unknown>, items: readonly unknown[]): void {
  container.clear();
  if (container instanceof Set) for (const item of items) container.add(item);
  else for (let index = 0; index < items.length; index += 2) container.set(items[index], items[index + 1]);
}
