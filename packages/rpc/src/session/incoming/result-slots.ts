import { ResultReference } from '../../protocol/address.ts';
import { Recording } from '../../protocol/recording.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Pending } from './held-results.ts';

/** What there is to wait for where there is nothing. */
export const READY: Outcome = { ok: true, value: undefined };

/** A place in a value where a reference stands. */
interface Slot<Reference> {
  reference: Reference;
  put(value: unknown): void;
}

/** Puts results where arguments refer to them, which `resolve` finds; fails as the first of them that failed. */
export function fillIn(args: unknown[], resolve: (reference: ResultReference) => Pending): Pending {
  const found = findReferences(args, ResultReference);
  const values = found.slots.map(({ reference }) => resolve(reference));
  const fill = (outcomes: Outcome[]): Outcome => {
    for (const [slot, outcome] of outcomes.entries()) {
      if (!outcome.ok) return outcome;
      found.slots[slot].put(outcome.value);
    }
    found.finish();
    return READY;
  };
  return values.some((value) => value instanceof Promise) ? Promise.all(values).then(fill) : fill(values as Outcome[]);
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
  // Those that are added meanwhile are gone through, too.
  const containers = new Set<object>([root]);
  const look = (value: unknown): value is Reference => {
    if (value instanceof kind) return true;
    if (typeof value === 'object' && value !== null) containers.add(value);
    return false;
  };
  const lookAtItems = (items: unknown[]) => {
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      if (look(item)) slots.push({ reference: item, put: (value) => (items[index] = value) });
    }
  };
  for (const container of containers) {
    if (container instanceof Map || container instanceof Set) {
      const items = container instanceof Set ? [...container] : [...container].flat();
      const before = slots.length;
      lookAtItems(items);
      // A key or member that changes keeps its place only if all are put in anew.
      if (slots.length > before) rebuilds.push(() => refill(container, items));
      continue;
    }
    if (container instanceof Recording) containers.add(container.captures as object);
    if (Array.isArray(container)) lookAtItems(container);
    for (const name of namesIn(container)) {
      const field = (container as Record<string, unknown>)[name];
      // An error's cause is not enumerable.
      const put = (value: unknown) => Object.defineProperty(container, name, { value });
      if (look(field)) slots.push({ reference: field, put });
    }
  }
  const finish = () => {
    for (const rebuild of rebuilds) rebuild();
  };
  return { slots, finish };
}

/** The names of properties that may hold something; bytes, say, have keys by the million and nothing to find. */
function namesIn(container: object): readonly string[] {
  if (Array.isArray(container)) return namesOf(container);
  const prototype = Object.getPrototypeOf(container);
  const isOpen = prototype === null || prototype === Object.prototype || container instanceof Error;
  return isOpen ? Object.getOwnPropertyNames(container) : [];
}

/** The named properties of a list. Where it has none, as nearly all, no strings are made of its indices: they would take a hundred times its bytes. */
function namesOf(list: unknown[]): string[] {
  // Which passes holes over.
  const indices = list.reduce((count: number) => count + 1, 0);
  return Object.values(list).length > indices ? Object.keys(list).slice(indices) : [];
}

function refill(container: Map<unknown, unknown> | Set<unknown>, items: readonly unknown[]): void {
  container.clear();
  if (container instanceof Set) for (const item of items) container.add(item);
  else for (let index = 0; index < items.length; index += 2) container.set(items[index], items[index + 1]);
}
