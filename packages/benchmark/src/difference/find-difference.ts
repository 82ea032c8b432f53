import { className, describeValue } from './describe-value.ts';
import { innerParts, type ViewsMode } from './inner-parts.ts';

/** Where two values differ first. */
export interface Difference {
  /** From the value itself, `$`, such as `$.rows[3]`. */
  readonly path: string;
  /** Short descriptions of what was expected there and of what there is. */
  readonly expected: string;
  readonly actual: string;
}

/** How strictly to compare. */
export interface DifferenceOptions {
  /**
   * `whole`: a view's place in its buffer counts, and so does the rest of the buffer. `shown`: only the bytes it shows.
   *
   * @default 'whole'
   */
  readonly views?: ViewsMode;
  /** Whether a Uint8Array may have become one of its subclasses, such as Node's Buffer. @default false */
  readonly anyBytes?: boolean;
  /** Whether properties whose keys are symbols count, such as a disposer that a library adds. @default true */
  readonly symbols?: boolean;
}

/** Parts of which a description in words says more than what they are. */
const IN_WORDS: Readonly<Record<string, Pick<Difference, 'expected' | 'actual'>>> = {
  bytes: { expected: 'the same bytes', actual: 'other bytes' },
  byteOffset: { expected: 'its offset', actual: 'at another offset' },
};

/** The one property that is not compared: where an error was made is not part of what was sent. */
const NOT_COMPARED = 'stack';

/**
 * Returns where `actual` first differs from `expected` in anything that a program can see: values (NaN, -0), prototypes,
 * own properties and which of them are enumerable, in what order, holes, the inside of built-in classes, and which
 * places hold the same object. Returns undefined where they do not differ.
 */
export function findDifference(
  actual: unknown,
  expected: unknown,
  { views = 'whole', anyBytes = false, symbols = true }: DifferenceOptions = {},
): Difference | undefined {
  const partners = new Map<object, object>();
  const claimed = new Set<object>();

  const compare = (is: unknown, was: unknown, path: string): Difference | undefined => {
    if (!isObject(was) || !isObject(is)) return Object.is(is, was) ? undefined : differ(path, was, is);
    const partner = partners.get(was);
    if (partner !== undefined || claimed.has(is)) {
      return partner === is ? undefined : { path, expected: 'the same object again', actual: 'another object' };
    }
    partners.set(was, is);
    claimed.add(is);
    if (Object.getPrototypeOf(is) !== Object.getPrototypeOf(was) && !(anyBytes && areBothBytes(is, was))) {
      return differ(path, was, is);
    }
    const inner = compareInner(is, was, path);
    return inner === 'no properties' ? undefined : (inner ?? compareProperties(is, was, path));
  };

  const compareInner = (is: object, was: object, path: string): Difference | 'no properties' | undefined => {
    const expectedParts = innerParts(was, views);
    if (!expectedParts) return undefined;
    let actualParts: typeof expectedParts | undefined;
    try {
      actualParts = innerParts(is, views);
    } catch {
      // It has the prototype of a class but is no instance of it.
    }
    if (!actualParts) return { path, expected: className(was), actual: `not really a ${className(was)}` };
    for (const [name, part] of Object.entries(expectedParts.parts)) {
      const found = compare(actualParts.parts[name], part, `${path}.${name}`);
      if (found) return { ...found, ...IN_WORDS[name] };
    }
    return expectedParts.properties ? undefined : 'no properties';
  };

  const compareProperties = (is: object, was: object, path: string): Difference | undefined => {
    const isCompared = (key: string | symbol) => key !== NOT_COMPARED && (symbols || typeof key === 'string');
    const wanted = Reflect.ownKeys(was).filter(isCompared);
    const given = Reflect.ownKeys(is).filter(isCompared);
    const missing = wanted.find((key) => !Object.hasOwn(is, key));
    if (missing !== undefined) return { path: step(path, was, missing), expected: 'there', actual: 'missing' };
    const added = given.find((key) => !Object.hasOwn(was, key));
    if (added !== undefined) return { path: step(path, was, added), expected: 'not there', actual: 'added' };
    for (const key of wanted) {
      const here = step(path, was, key);
      const [before, after] = [was, is].map((object) => Object.getOwnPropertyDescriptor(object, key)!);
      if (before.enumerable !== after.enumerable) {
        return { path: here, expected: enumerability(before), actual: enumerability(after) };
      }
      const found = compare(after.value, before.value, here);
      if (found) return found;
    }
    // Properties that are not enumerable have an order too, which hardly any program can tell.
    const [order, wantedOrder] = [is, was].map((object) => Object.keys(object).filter((key) => key !== NOT_COMPARED));
    const inOrder = wantedOrder.every((key, i) => order[i] === key);
    return inOrder ? undefined : { path, expected: 'its order of properties', actual: 'another order' };
  };

  return compare(actual, expected, '$');
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function areBothBytes(is: object, was: object): boolean {
  return is instanceof Uint8Array && Object.getPrototypeOf(was) === Uint8Array.prototype;
}

function differ(path: string, was: unknown, is: unknown): Difference {
  return { path, expected: describeValue(was), actual: describeValue(is) };
}

function enumerability({ enumerable }: PropertyDescriptor): string {
  return enumerable ? 'enumerable' : 'not enumerable';
}

function step(path: string, object: object, key: string | symbol): string {
  if (typeof key === 'symbol') return `${path}[${String(key)}]`;
  return Array.isArray(object) && /^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`;
}
