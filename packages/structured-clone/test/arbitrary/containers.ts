import fc from 'fast-check';
import { define, defineOne, type Entry, entries, type Kind, kind, type Slot, slot } from './kind.ts';
import { key, numbers } from './primitives.ts';

/** Keys under which an array has a named property, and not an item or its length. */
const namedKey = key.filter(
  (name) => name !== 'length' && !(String(Number(name) >>> 0) === name && Number(name) < 2 ** 32 - 1),
);

/** An item of an array, or a number of holes. */
type Item = Slot | { readonly holes: number };

interface ArrayPlan {
  readonly items: readonly Item[];
  readonly named: readonly Entry[];
}

const items: fc.Arbitrary<Item[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: slot },
    { weight: 1, arbitrary: fc.constantFrom(1, 1, 2, 40, 2000).map((holes) => ({ holes })) },
  ),
);

/** Most arrays have none. */
const named = fc.oneof({ weight: 3, arbitrary: fc.constant<Entry[]>([]) }, { weight: 1, arbitrary: entries(namedKey) });

/** Containers in each other, deeper than the codec's own recursion, with something beside at each level. */
interface DeepPlan {
  readonly levels: number;
  readonly each: Slot;
  readonly innermost: Slot;
}

const each: fc.Arbitrary<Slot> = fc.oneof(
  fc.constant({ is: null }),
  fc.nat(9).map((node) => ({ node })),
);

const NESTING: readonly ((inner: unknown, each: unknown) => unknown)[] = [
  (inner, each) => [inner, each],
  (inner, each) => ({ each, inner }),
  (inner, each) => new Map([[each, inner]]),
  (inner, each) => new Set([each, inner]),
  (inner, each) => [, each, , inner],
  (cause) => new Error('outer', { cause }),
];

/** Kinds of objects that other objects are in. */
export const CONTAINERS: readonly Kind[] = [
  kind({
    name: 'plain object',
    weight: 3,
    plan: entries(key),
    nativePlan: entries(key),
    make: () => ({}),
    fill: define,
  }),
  kind({
    name: 'object without prototype',
    plan: entries(key),
    make: () => Object.create(null) as object,
    fill: define,
  }),
  kind({
    name: 'row',
    weight: 2,
    plan: fc.record({ shape: fc.nat(3), values: fc.array(slot, { minLength: 6, maxLength: 6 }) }),
    nativePlan: fc.record({ shape: fc.nat(3), values: fc.array(slot, { minLength: 6, maxLength: 6 }) }),
    make: () => ({}),
    fill(made, { shape, values }, parts) {
      for (const [index, name] of parts.shape(shape).entries()) defineOne(made, name, parts.of(values[index]));
    },
  }),
  kind<ArrayPlan, unknown[]>({
    name: 'array',
    weight: 3,
    plan: fc.record({ items, named }),
    nativePlan: fc.record({ items, named }),
    make: () => [],
    fill(made, plan, parts) {
      for (const item of plan.items) {
        if ('holes' in item) made.length += item.holes;
        else made.push(parts.of(item));
      }
      define(made, plan.named, parts);
    },
  }),
  kind({ name: 'array of numbers', plan: numbers, nativePlan: numbers, make: (items) => [...items] }),
  kind<DeepPlan, unknown[]>({
    name: 'deep containers',
    plan: fc.record({ levels: fc.nat(150), each, innermost: slot }),
    nativePlan: fc.record({ levels: fc.nat(150), each, innermost: slot }),
    make: () => [],
    fill(made, { levels, each, innermost }, parts) {
      let value = parts.of(innermost);
      for (let level = levels; level > 0; level--) value = NESTING[level % NESTING.length](value, parts.of(each));
      made.push(value);
    },
  }),
  kind<[Slot, Slot][], Map<unknown, unknown>>({
    name: 'Map',
    weight: 2,
    plan: fc.array(fc.tuple(slot, slot), { maxLength: 6 }),
    nativePlan: fc.array(fc.tuple(slot, slot), { maxLength: 6 }),
    make: () => new Map(),
    fill(made, plan, parts) {
      for (const [name, value] of plan) made.set(parts.of(name), parts.of(value));
    },
  }),
  kind<Slot[], Set<unknown>>({
    name: 'Set',
    weight: 2,
    plan: fc.array(slot, { maxLength: 6 }),
    nativePlan: fc.array(slot, { maxLength: 6 }),
    make: () => new Set(),
    fill(made, plan, parts) {
      for (const member of plan) made.add(parts.of(member));
    },
  }),
];
