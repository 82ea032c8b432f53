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

/** Not compared: where an error was made is not part of what was sent. */
const NOT_COMPARED = 'stack';

/**
 * Returns where `actual` first differs from `expected` in anything that a program can see: values (NaN, -0), prototypes,
 * own properties and which of them are enumerable, in what order, holes, the inside of built-in classes, and which
 * places hold the same object. Returns undefined where they do not differ.
 */
export function findDifference(
  actual: unknown,
  expected: unknown,
  options: DifferenceOptions = {},
): Difference | undefined {
  return findDifferences(actual, expected, options, 1).at(0);
}

/** Returns the first `most` places where `actual` differs from `expected`; what is in an object that is another is not compared. */
export function findDifferences(
  actual: unknown,
  expected: unknown,
  { views = 'whole', anyBytes = false, symbols = true }: DifferenceOptions,
  most: number,
): Difference[] {
  const found: Difference[] = [];
  // Engines say it in hidden properties of their own, too.
  const placesOfErrors = Object.getOwnPropertyNames(new Error());
  const partners = new Map<object, object>();
  const claimed = new Set<object>();

  const differ = (path: string, was: string, is: string) => {
    if (found.length < most) found.push({ path, expected: was, actual: is });
  };

  const compare = (is: unknown, was: unknown, path: string): void => {
    if (found.length >= most) return;
    if (!isObject(was) || !isObject(is)) {
      if (!Object.is(is, was)) differ(path, describeValue(was), describeValue(is));
      return;
    }
    const partner = partners.get(was);
    if (partner !== undefined || claimed.has(is)) {
      if (partner !== is) differ(path, 'the same object again', 'another object');
      return;
    }
    partners.set(was, is);
    claimed.add(is);
    if (Object.getPrototypeOf(is) !== Object.getPrototypeOf(was) && !(anyBytes && areBothBytes(is, was))) {
      return differ(path, describeValue(was), describeValue(is));
    }
    if (compareInner(is, was, path)) compareProperties(is, was, path);
  };

  /** Compares what is inside an instance of a built-in class; returns whether its properties are to be compared. */
  const compareInner = (is: object, was: object, path: string): boolean => {
    const expectedParts = innerParts(was, views);
    if (!expectedParts) return true;
    let actualParts: typeof expectedParts | undefined;
    try {
      actualParts = innerParts(is, views);
    } catch {
      // It has the prototype of a class but is no instance of it.
    }
    if (!actualParts) {
      differ(path, className(was), `not really a ${className(was)}`);
      return false;
    }
    for (const [name, part] of Object.entries(expectedParts.parts)) {
      const before = found.length;
      compare(actualParts.parts[name], part, `${path}.${name}`);
      if (found.length > before && IN_WORDS[name]) found[before] = { ...found[before], ...IN_WORDS[name] };
    }
    return expectedParts.properties;
  };

  const compareProperties = (is: object, was: object, path: string): void => {
    const isPlace = (key: string | symbol) =>
      was instanceof Error && placesOfErrors.includes(key as string) && !Object.keys(was).includes(key as string);
    const isCompared = (key: string | symbol) =>
      key !== NOT_COMPARED && !isPlace(key) && (symbols || typeof key === 'string');
    const wanted = Reflect.ownKeys(was).filter(isCompared);
    const before = found.length;
    for (const key of wanted) if (!Object.hasOwn(is, key)) differ(step(path, was, key), 'there', 'missing');
    for (const key of Reflect.ownKeys(is)) {
      if (isCompared(key) && !Object.hasOwn(was, key)) differ(step(path, was, key), 'not there', 'added');
    }
    const sameKeys = found.length === before;
    for (const key of wanted) {
      if (found.length >= most) return;
      const here = step(path, was, key);
      const [old, now] = [was, is].map((object) => Object.getOwnPropertyDescriptor(object, key));
      if (now === undefined) continue;
      if (old!.enumerable !== now.enumerable) differ(here, enumerability(old!), enumerability(now));
      else compare(now.value, old!.value, here);
    }
    if (!sameKeys) return;
    // Properties that are not enumerable have an order too, which hardly any program can tell.
    const [order, wantedOrder] = [is, was].map((object) => Object.keys(object).filter((key) => key !== NOT_COMPARED));
    if (!wantedOrder.every((key, i) => order[i] === key)) differ(path, 'its order of properties', 'another order');
  };

  compare(actual, expected, '$');
  return found;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function areBothBytes(is: object, was: object): boolean {
  return is instanceof Uint8Array && Object.getPrototypeOf(was) === Uint8Array.prototype;
}

function enumerability({ enumerable }: PropertyDescriptor): string {
  return enumerable ? 'enumerable' : 'not enumerable';
}

function step(path: string, object: object, key: string | symbol): string {
  if (typeof key === 'symbol') return `${path}[${String(key)}]`;
  return Array.isArray(object) && /^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`;
}
