import { all, CloneError, type Message, resolveLimits, toMessage, write } from '@lumenize/structured-clone/messages';
import { serverSettings } from '../../packages/rpc/src/server/settings.ts';
import type { CostKind } from './kind.ts';

/** What a server takes at once, by what objects count, less what the call itself is. */
const MAX_WEIGHT = serverSettings({}).limits.maxObjects - 100;

/** Frames of one call each, with a list of values that are small, as many as a server takes. */
function listsOf(make: (place: number) => unknown, most = Number.POSITIVE_INFINITY): (bytes: number) => Message[] {
  return (bytes) => {
    const [few, more] = [100, 200].map((count) => measured(make, count));
    const bytesEach = Math.max((more.size - few.size) / 100, 1);
    const weightEach = (more.weight - few.weight) / 100;
    const count = Math.floor(Math.min(bytes / bytesEach, weightEach > 0 ? MAX_WEIGHT / weightEach : bytes, most));
    const frame = frameOf(make, count);
    return Array.from({ length: Math.max(Math.round(bytes / frame.length), 1) }, () => frame);
  };
}

function measured(make: (place: number) => unknown, count: number): { size: number; weight: number } {
  return { size: frameOf(make, count).length, weight: weightOf([listOf(make, count)]) };
}

/** Returns the smallest limit of objects with which a value can be written. */
function weightOf(value: unknown): number {
  let [low, high] = [0, 2_000_000];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(value, middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function fits(value: unknown, maxObjects: number): boolean {
  try {
    written(value, [], maxObjects);
    return true;
  } catch (error) {
    if (error instanceof CloneError && error.code === 'LIMIT_EXCEEDED') return false;
    throw error;
  }
}

function written(value: unknown, tail: Uint8Array[], maxObjects?: number): string {
  return write(value, { types: all, tail, limits: resolveLimits({ maxObjects }), bodies: BODIES });
}

function frameOf(make: (place: number) => unknown, count: number): Message {
  const tail: Uint8Array[] = [];
  const text = written([listOf(make, count)], tail);
  return toMessage(`[1,["echo",${text}]]`, tail);
}

function listOf(make: (place: number) => unknown, count: number): unknown[] {
  return Array.from({ length: count }, (_, place) => make(place));
}

/** Of everything that has none. */
const BODIES = new (class extends Map<object, Uint8Array> {
  override get(): Uint8Array {
    return new Uint8Array(0);
  }
})();

function sparse(place: number): unknown[] {
  const list: unknown[] = [];
  list[place % 2 === 0 ? 0 : 1] = place;
  list.length = 3;
  return list;
}

function nested(depth: number): unknown[] {
  let list: unknown[] = [];
  for (let level = 1; level < depth; level++) list = [list];
  return list;
}

const shared = new Uint8Array(10);

const VALUES: readonly [name: string, make: (place: number) => unknown, bound: number, most?: number][] = [
  ['small integers beside null', (place) => (place === 0 ? null : 1), 30],
  ['small integers', () => 1, 30],
  ['fractions', (place) => (place === 0 ? null : place + 0.123), 30],
  ['undefined', () => undefined, 30],
  ['empty texts', () => '', 40],
  ['texts of one letter', (place) => String.fromCharCode(97 + (place % 26)), 60],
  ['texts of two Chinese letters', (place) => String.fromCharCode(0x4e00 + (place % 5000), 0x4e00), 60],
  ['texts of five letters', (place) => place.toString(36).padStart(5, '0'), 60],
  ['a text', (place) => (place === 0 ? 'x'.repeat(100) : 'y'.repeat(100)), 30],
  ['bigints', (place) => BigInt(place % 10), 70],
  ['empty objects', () => ({}), 130],
  ['objects without a prototype', () => Object.create(null), 300],
  ['objects with three fields', (place) => ({ a: place % 20, b: 'x', c: null }), 70],
  ['objects each of a shape of its own', (place) => ({ [`k${place.toString(36)}`]: 1 }), 150],
  ['empty lists', () => [], 130],
  ['lists nested 900 deep', () => nested(900), 130],
  ['lists of numbers', () => [1, 2, 3, 4, 5, 6, 7, 8], 60],
  ['lists with holes', sparse, 80, 49_000],
  ['a list of holes', (place) => (place === 0 ? Object.assign([], { length: 90_000 }) : null), 40],
  ['Map', () => new Map(), 200],
  ['Set', () => new Set(), 200],
  ['Map of one', (place) => new Map([[place % 20, 1]]), 150],
  ['Error', () => new Error(), 350],
  ['Error with a cause', () => new Error('', { cause: 1 }), 250],
  ['TypeError', () => new TypeError(), 350],
  ['AggregateError', () => new AggregateError([]), 350],
  ['SuppressedError', () => new SuppressedError(1, 2, ''), 350],
  ['DOMException', () => new DOMException('', 'AbortError'), 300],
  ['Date', (place) => new Date(place), 100],
  ['Number', () => Object(1), 120],
  ['String', () => Object('a'), 120],
  ['Boolean', () => Object(true), 120],
  ['BigInt', () => Object(1n), 120],
  ['URL', () => new URL('a:b'), 200],
  ['URLSearchParams', () => new URLSearchParams(), 200],
  ['Headers', () => new Headers(), 800],
  ['Headers of one', () => new Headers({ a: 'b' }), 300],
  ['FormData', () => new FormData(), 200],
  ['Request', () => new Request('http://a/'), 350],
  ['Response', () => new Response(), 350],
  ['Blob', () => new Blob(), 400],
  ['File', () => new File([], ''), 250],
  ['ArrayBuffer', () => new ArrayBuffer(0), 250],
  ['ArrayBuffer that can grow', () => new ArrayBuffer(0, { maxByteLength: 1 }), 250],
  ['Uint8Array', () => new Uint8Array(0), 300],
  ['Uint8Array of eight bytes', () => new Uint8Array(8), 130],
  ['Float64Array', () => new Float64Array(1), 130],
  ['DataView', () => new DataView(new ArrayBuffer(1)), 250],
  ['views of one buffer', () => new Uint8Array(shared.buffer, 1, 2), 120],
];

export const VALUE_KINDS: readonly CostKind[] = [
  ...VALUES.map(
    ([name, make, bound, most]): CostKind => ({ group: 'values', name, frames: listsOf(make, most), bound }),
  ),
  { group: 'values', name: 'one text', frames: (bytes) => [frameOf(() => 'x'.repeat(bytes), 1)], bound: 20 },
  {
    group: 'values',
    name: 'one Chinese text',
    frames: (bytes) => [frameOf(() => '語'.repeat(bytes / 3), 1)],
    bound: 40,
  },
  {
    group: 'values',
    name: 'one text with a lone surrogate',
    frames: (bytes) => [frameOf(() => '\ud800'.repeat(bytes / 2), 1)],
    bound: 40,
  },
  { group: 'values', name: 'bytes', frames: (bytes) => [frameOf(() => new Uint8Array(bytes), 1)], bound: 15 },
];
