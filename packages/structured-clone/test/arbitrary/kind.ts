import fc from 'fast-check';
import { primitive } from './primitives.ts';

/** A place in a container: what stands there, or which node, counted on from the container's own. */
export type Slot = { readonly is: unknown } | { readonly node: number };

/** An own property: its key, and what it holds. */
export type Entry = readonly [key: string, slot: Slot];

/** What the parts of a plan stand for in the graph that is being built. */
export interface Parts {
  /** The value of a place. */
  of(slot: Slot): unknown;
  /** A buffer of the pool that all views share. */
  buffer(number: number): ArrayBuffer;
  /** A list of keys that several objects share. */
  shape(number: number): readonly string[];
}

/**
 * A kind of object. Graphs are described first and built from the description, in two steps, so that any object can
 * lead to any other, and the same graph can be built again.
 */
export interface Kind<Plan = unknown, Made extends object = object> {
  readonly name: string;
  /** How much more often than others it occurs. @default 1 */
  readonly weight?: number;
  readonly plan: fc.Arbitrary<Plan>;
  /** The plans of which native `structuredClone` makes the very same as the codec; none where it never does. */
  readonly nativePlan?: fc.Arbitrary<Plan>;
  make(plan: Plan, parts: Parts): Made;
  /** Puts in what may be any object of the graph. */
  fill?(made: Made, plan: Plan, parts: Parts): void;
}

/** Forgets the types of a kind, which only it needs to know. */
export function kind<Plan, Made extends object>(described: Kind<Plan, Made>): Kind {
  return described as unknown as Kind;
}

export const slot: fc.Arbitrary<Slot> = fc.oneof(
  { weight: 1, arbitrary: primitive.map((is) => ({ is })) },
  { weight: 1, arbitrary: fc.nat(9).map((node) => ({ node })) },
);

export function entries(keys: fc.Arbitrary<string>): fc.Arbitrary<Entry[]> {
  return fc.uniqueArray(fc.tuple(keys, slot), { selector: ([key]) => key, maxLength: 5 });
}

/** Defines properties as literals do: also `__proto__` is one like any other. */
export function define(object: object, properties: readonly Entry[], parts: Parts): void {
  for (const [key, place] of properties) defineOne(object, key, parts.of(place));
}

export function defineOne(object: object, key: string, value: unknown, enumerable = true): void {
  Object.defineProperty(object, key, { value, enumerable, writable: true, configurable: true });
}
