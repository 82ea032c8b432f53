import { brandOf, objectsIn } from '../graph/parts.ts';
import { Registered, Revived } from './modes.ts';

const TypedArray = Object.getPrototypeOf(Uint8Array) as { prototype: object };

/** Every global class, its prototype, and what else has none of its own name. */
const WATCHED: ReadonlyMap<string, object> = new Map<string, object>([
  ...Object.getOwnPropertyNames(globalThis).flatMap((name): [string, object][] => {
    if (!/^[A-Z]/.test(name)) return [];
    const global = (globalThis as Record<string, unknown>)[name];
    if (typeof global !== 'function') return [];
    return [[name, global], ...(global.prototype ? [[`${name}.prototype`, global.prototype] as [string, object]] : [])];
  }),
  ['TypedArray.prototype', TypedArray.prototype],
  ['Revived.prototype', Revived.prototype],
  ['Registered.prototype', Registered.prototype],
  ['globalThis', globalThis],
]);

const PLATFORM = 'URL URLSearchParams Headers DOMException FormData Blob File Request Response'.split(' ');

/** The classes that results may be instances of. */
const CLASSES = [
  ...['Object', 'Array', 'Map', 'Set', 'Date', 'RegExp', 'Number', 'String', 'Boolean', 'BigInt'],
  ...['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['AggregateError', 'SuppressedError'],
  ...['ArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array'],
  ...['Int32Array', 'Uint32Array', 'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'],
  ...PLATFORM,
  'Revived',
  'Registered',
];
const PROTOTYPES = new Set<object | null | undefined>([
  null,
  ...CLASSES.map((name) => WATCHED.get(`${name}.prototype`)),
]);

/** Properties with their values, which are compared by identity. */
type Snapshot = ReadonlyMap<
  string,
  readonly [object: object, prototype: object | null, properties: readonly unknown[]]
>;

function propertiesOf(object: object): unknown[] {
  return Reflect.ownKeys(object).flatMap((key) => {
    const { value, get, set, ...flags } = Object.getOwnPropertyDescriptor(object, key)!;
    return [key, get, set, Object.values(flags).join(), ...(typeof value === 'function' ? [value] : [])];
  });
}

function takeSnapshot(): Snapshot {
  return new Map(
    [...WATCHED].map(([name, object]) => [name, [object, Object.getPrototypeOf(object), propertiesOf(object)]]),
  );
}

/** Remembers how all classes and prototypes are, and returns what names the first that changed since. */
export function watchPrototypes(): () => string | undefined {
  const before = takeSnapshot();
  return () => {
    for (const [name, [object, prototype, properties]] of before) {
      if (Object.getPrototypeOf(object) !== prototype) return `the prototype of ${name}`;
      const now = propertiesOf(object);
      if (now.length !== properties.length || now.some((part, index) => part !== properties[index])) return name;
    }
    return undefined;
  };
}

/** Names what is wrong with the objects of a result: a prototype that no type has, an accessor, a symbol as a key. */
export function oddity(result: unknown): string | undefined {
  for (const object of objectsIn(result)) {
    const prototype = Object.getPrototypeOf(object) as object | null;
    if (!PROTOTYPES.has(prototype) || typeof object === 'function') return 'an object with an odd prototype';
    // What a view shows are no properties that anyone could have defined, and what the platform makes has its own.
    if (ArrayBuffer.isView(object) || PLATFORM.includes(brandOf(object))) continue;
    for (const key of Reflect.ownKeys(object)) {
      if (typeof key === 'symbol') return 'an object with a symbol as a key';
      // An error's stack is an accessor by nature.
      if (key !== 'stack' && !('value' in Object.getOwnPropertyDescriptor(object, key)!)) return `an accessor, ${key}`;
    }
  }
  return undefined;
}
