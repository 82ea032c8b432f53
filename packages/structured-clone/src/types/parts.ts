import { describe, notCloneable } from '../core/clone-error.ts';
import type { From, Row } from './row.ts';

// What rows are made with.

/** Returns a built-in class, looked up when it is needed: some load much when they are first, and not every runtime has all. */
// biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
export function builtIn(name: string): any {
  return (globalThis as Record<string, unknown>)[name];
}

/** Throws where what arrived is not what a row writes; the decoder says of which type it is. */
export function must(hold: unknown): asserts hold {
  if (!hold) throw new TypeError();
}

export function integer(value: unknown): number {
  must(typeof value === 'number' && value === value >>> 0);
  return value;
}

export function text(value: unknown): string {
  must(typeof value === 'string');
  return value;
}

export function bytesOf(value: unknown): Uint8Array<ArrayBuffer> {
  must(value instanceof Uint8Array);
  return value as Uint8Array<ArrayBuffer>;
}

/** Goes through the parts behind the `first`, which have to be pairs. */
export function eachPair(
  parts: readonly unknown[],
  first: 0 | 1,
  add: (key: unknown, value: unknown, at: number) => void,
): void {
  must(parts.length % 2 === first);
  for (let at = first; at < parts.length; at += 2) add(parts[at], parts[at + 1], at);
}

/** Takes an instance apart that has nothing beside what its class gives: properties of its own would be lost. */
export function apart<T extends object, P>(value: T, take: () => P): P {
  if (Object.keys(value).length > ((value as { length?: number }).length ?? 0)) {
    throw notCloneable(value, `named properties of ${describe(value)}`);
  }
  return honest(value, take);
}

/** Takes an instance apart; platforms throw where it only looks like one, as a Proxy does, or can no longer be used. */
export function honest<P>(value: object, take: () => P): P {
  try {
    return take();
  } catch (error) {
    throw error instanceof TypeError ? notCloneable(value) : error;
  }
}

/** Lists the keys and values in a collection by the platform's own method, whatever its class has made of its iterator. */
export function itemsOf(name: string, collection: object): unknown[] {
  const items: unknown[] = [];
  builtIn(name).prototype.forEach.call(collection, (value: unknown, key: unknown) => {
    if (name !== 'Set') items.push(key);
    items.push(value);
  });
  return items;
}

/** Makes the row of a class whose instances hold any number of values. */
// biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
export function collection(name: string, weight: number, fill: (into: any, parts: unknown[]) => void): Row {
  return {
    name,
    weight,
    parts: (value) => apart(value, () => itemsOf(name, value)),
    empty: () => new (builtIn(name))(),
    make: (parts, _to, into) => fill(into, parts),
  };
}

/** A field that is no primitive, or that the instance need not have as it was sent. */
export interface Field {
  /** Takes it of an instance. */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the row says
  take?(value: any, from: From): unknown;
  /** True if it can be one. */
  fits(part: unknown): boolean;
}

/** Makes the row of a class whose instances are what some fields say, most of them primitive properties. */
export function record(
  name: string,
  weight: number,
  fields: readonly string[],
  // biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
  make: (...parts: any[]) => object,
  special: Readonly<Record<string, Field>> = {},
): Row {
  return {
    name,
    weight,
    parts: (value, from) =>
      apart(value, () =>
        fields.map((key) => {
          const part = special[key]?.take ? special[key].take(value, from) : value[key];
          // As the index of a RegExp, to which anything can be assigned.
          if (Object(part) === part && !special[key]) {
            throw notCloneable(value, `${key} of ${describe(value)} that is no primitive`);
          }
          return part;
        }),
      ),
    make(parts) {
      must(parts.length === fields.length);
      fields.forEach((key, at) => {
        const part = parts[at];
        must(special[key] ? special[key].fits(part) : Object(part) !== part);
      });
      const made = make(...parts) as Record<string, unknown>;
      fields.forEach((key, at) => {
        // Constructors convert what they are given: here, there must have been nothing to convert.
        must(special[key] || Object.is(made[key], parts[at]));
      });
      return made;
    },
  };
}
