import { describe, notCloneable } from '../core/clone-error.ts';
import type { DecodeContext, EncodeContext, Row } from './row.ts';

// Functions for creating rows.

/**
 * Returns a built-in class, or undefined if the runtime lacks it. It is looked up on each use, because some classes
 * load a lot of code on first access.
 */
// biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
export function builtIn(name: string): any {
  return (globalThis as Record<string, unknown>)[name];
}

/**
 * Throws if the condition does not hold, because the parts are not what the row writes. The decoder turns the error
 * into one that names the type.
 */
export function requirePart(hold: unknown): asserts hold {
  if (!hold) throw new TypeError();
}

export function integer(value: unknown): number {
  requirePart(typeof value === 'number' && value === value >>> 0);
  return value;
}

export function text(value: unknown): string {
  requirePart(typeof value === 'string');
  return value;
}

export function bytesOf(value: unknown): Uint8Array<ArrayBuffer> {
  requirePart(value instanceof Uint8Array);
  return value as Uint8Array<ArrayBuffer>;
}

/** Calls `add` for each pair of parts, starting at index `first`. Throws if the parts are not pairs. */
export function eachPair(
  parts: readonly unknown[],
  first: 0 | 1,
  add: (key: unknown, value: unknown, at: number) => void,
): void {
  requirePart(parts.length % 2 === first);
  for (let at = first; at < parts.length; at += 2) add(parts[at], parts[at + 1], at);
}

/**
 * Takes an instance apart with `take`. Refuses an instance with more properties of its own than it has by its class,
 * because they would be lost.
 */
export function apart<T extends object, P>(value: T, take: () => P, own = 0): P {
  // Node gives the Blobs that it makes itself, such as slices, a property with their class.
  const isAdded = (key: string) =>
    key !== 'constructor' || value.constructor !== Object.getPrototypeOf(value).constructor;
  if (Object.keys(value).filter(isAdded).length > own) {
    throw notCloneable(value, `named properties of ${describe(value)}`);
  }
  return refuseImpostor(value, take);
}

/**
 * Takes an instance apart with `take`. The platform throws a TypeError if the value only looks like an instance, as a
 * Proxy does, or can no longer be used; the value is then refused.
 */
export function refuseImpostor<P>(value: object, take: () => P): P {
  try {
    return take();
  } catch (error) {
    throw error instanceof TypeError ? notCloneable(value) : error;
  }
}

/**
 * Lists the keys and values of a collection, of a Set only the values. Uses the platform's own `forEach`, because
 * subclasses may override the iterator.
 */
export function itemsOf(name: string, collection: object): unknown[] {
  const items: unknown[] = [];
  builtIn(name).prototype.forEach.call(collection, (value: unknown, key: unknown) => {
    if (name !== 'Set') items.push(key);
    items.push(value);
  });
  return items;
}

/** Number of objects that a bigint of more than 64 bits counts as if it is a key. */
const LARGE_KEY = 32;

/** Creates the row of a class whose instances hold any number of values. */
// biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
export function collection(name: string, weight: number, fill: (into: any, parts: unknown[]) => void): Row {
  const step = name === 'Set' ? 1 : 2;
  /**
   * Counts large bigints among the keys as more, and returns the parts. Of a bigint, V8 hashes only the lowest 64 bits:
   * a Map or Set of many that differ only beyond these takes quadratic time.
   */
  const counted = (parts: unknown[], counts: Pick<DecodeContext, 'count'>) => {
    parts.forEach((key, at) => {
      if (typeof key === 'bigint' && at % step === 0 && BigInt.asIntN(64, key) !== key) counts.count(LARGE_KEY);
    });
    return parts;
  };
  return {
    name,
    weight,
    parts: (value, from) => apart(value, () => counted(itemsOf(name, value), from)),
    empty: () => new (builtIn(name))(),
    make: (parts, to, into) => fill(into, counted(parts, to)),
  };
}

/** A field that is not a primitive, or that may differ between the original and the decoded instance. */
export interface Field {
  /** Reads the field from an instance. Without this function, the property with the name of the field is read. */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the row says
  take?(value: any, from: EncodeContext): unknown;
  /** Returns true if a part can be this field. */
  fits(part: unknown): boolean;
}

/** Creates the row of a class whose instances are described by fixed fields, most of them primitive properties. */
export function record(
  name: string,
  weight: number,
  fields: readonly string[],
  // biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
  make: (...parts: any[]) => object,
  special: Readonly<Record<string, Field>> = {},
): Row {
  // All objects may inherit a property with the name of a field.
  const specials = new Map(Object.entries(special));
  return {
    name,
    weight,
    parts: (value, from) =>
      apart(value, () =>
        fields.map((key) => {
          const field = specials.get(key);
          const part = field && Object.hasOwn(field, 'take') ? field.take!(value, from) : value[key];
          // Anything can be assigned to some properties, such as `lastIndex` of a RegExp.
          if (Object(part) === part && !field) {
            throw notCloneable(value, `${key} of ${describe(value)} that is no primitive`);
          }
          return part;
        }),
      ),
    make(parts) {
      requirePart(parts.length === fields.length);
      fields.forEach((key, at) => {
        const part = parts[at];
        requirePart(specials.get(key)?.fits(part) ?? Object(part) !== part);
      });
      const made = make(...parts) as Record<string, unknown>;
      fields.forEach((key, at) => {
        // Constructors convert their arguments. An encoder writes only fields that need no conversion.
        requirePart(specials.has(key) || Object.is(made[key], parts[at]));
      });
      return made;
    },
  };
}
