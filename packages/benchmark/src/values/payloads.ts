import { type Random, seededRandom } from '@lumenize/hosts/random';
import tree from './tree.json' with { type: 'json' };
import words from './words.json' with { type: 'json' };

/** Those of `manyScripts` have two to four bytes a letter where they are not Latin. */
const [FIRST_NAMES, LAST_NAMES, CITIES, ENGLISH, MANY_SCRIPTS] = (
  ['firstNames', 'lastNames', 'cities', 'english', 'manyScripts'] as const
).map((name) => words[name].split(' '));

/** Bytes of a row in JSON, with the comma behind it. */
const ROW_BYTES = 74;
const LADDER = { '64B': 64, '1KiB': 1024, '16KiB': 16_384, '256KiB': 262_144, '1MiB': 1_048_576 } as const;
const DAY_MS = 86_400_000;

/** Makes a payload of each size. */
function ladder(name: string, make: (size: number) => unknown) {
  return Object.fromEntries(Object.entries(LADDER).map(([of, size]) => [`${name}-${of}`, () => make(size)]));
}

/** Makes each value that codecs are measured with, the same each time, in the order in which tables show them. */
export const PAYLOADS: Readonly<Record<string, () => unknown>> = {
  'rows-200': () => rows(200),
  'rows-distinct': () => distinctRows(200),
  // A configuration of about 5 kB of JSON, as a deployment tool writes it: deep, and hardly two objects alike.
  tree: () => JSON.parse(JSON.stringify(tree)),
  numbers: () => numbers(1000),
  'text-60kB': () => written(MANY_SCRIPTS, 60_000, (word) => new TextEncoder().encode(word).byteLength),
  number: () => 42,
  'short-string': () => 'hello, world',
  'small-object': () => ({ x: 12, y: -7, name: 'door' }),
  'map-set-date': mapSetDate,
  cyclic,
  'typed-arrays': typedArrays,
  ...ladder('text', (size) => written(ENGLISH, size + 1, ({ length }) => length).slice(0, size)),
  ...ladder('rows', (size) => rows(Math.max(1, Math.round(size / ROW_BYTES)))),
  ...ladder('bytes', bytes),
};

/**
 * Makes rows as a shop's list of orders has them, of about 73 bytes of JSON, that repeat as those of a database do: a
 * customer's name stands in two rows, a city in one of twenty, and prices have cents.
 */
export function rows(count: number) {
  const random = seededRandom(1);
  const customers = Math.ceil(count / 2);
  return Array.from({ length: count }, (_, i) => ({
    id: 1 + i,
    name: customerName(i % customers),
    city: CITIES[Math.floor(random() * CITIES.length)],
    price: Math.round(random() * 9900 + 100) / 100,
    paid: random() < 0.5,
  }));
}

/** Makes rows of the same keys and sizes in which hardly any text comes twice. */
function distinctRows(count: number) {
  const random = seededRandom(2);
  const letters = ({ length }: string) =>
    Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
  return rows(count).map(({ name, city }) => ({
    ...{ id: Math.floor(random() * 900) + 100, name: letters(name), city: letters(city) },
    ...{ price: Math.round(random() * 9900 + 100) / 100, paid: random() < 0.5 },
  }));
}

function customerName(customer: number): string {
  const first = FIRST_NAMES[customer % FIRST_NAMES.length];
  const last = LAST_NAMES[Math.floor(customer / FIRST_NAMES.length) % LAST_NAMES.length];
  const namesake = Math.floor(customer / (FIRST_NAMES.length * LAST_NAMES.length));
  return `${first} ${last}${namesake === 0 ? '' : ` ${namesake}`}`;
}

/** Makes a quarter each of small integers, of integers of either sign, of amounts with cents and of any doubles. */
function numbers(count: number): number[] {
  const random = seededRandom(5);
  const kinds = [
    () => Math.floor(random() * 100),
    // Plus 1, because a rounded -0 is a number that JSON would lose.
    () => Math.floor((random() - 0.5) * 2 ** 40) + 1,
    () => Math.round(random() * 100_000) / 100,
    () => random() * 10 ** Math.floor(random() * 12 - 6),
  ];
  return Array.from({ length: count }, (_, i) => kinds[i % kinds.length]());
}

/** Makes bytes without any pattern. */
export function bytes(count: number): Uint8Array {
  return filled(new Uint8Array(count), 256, seededRandom(6));
}

function filled<T extends { length: number; [i: number]: number }>(array: T, scale: number, random: Random): T {
  for (let i = 0; i < array.length; i++) array[i] = random() * scale;
  return array;
}

/** Makes text of words until `size` is reached, in what `sizeOf` counts; there is a space behind each. */
function written(words: readonly string[], size: number, sizeOf: (word: string) => number): string {
  const random = seededRandom(4);
  const parts: string[] = [];
  for (let left = size; left > 0; left -= sizeOf(parts.at(-1)!) + 1) {
    parts.push(words[Math.floor(random() * words.length)]);
  }
  return parts.join(' ');
}

/** Makes a Map of rows by their number, a Set and Dates. */
function mapSetDate(): unknown {
  const all = rows(100);
  return {
    orders: new Map(all.map((row, i) => [row.id, { ...row, at: new Date(Date.UTC(2026, 0, 1) + i * DAY_MS) }])),
    cities: new Set(all.map(({ city }) => city)),
    from: new Date(Date.UTC(2026, 0, 1)),
    until: new Date(Date.UTC(2026, 3, 11)),
  };
}

/** Makes orders that know the order before them and their shop, which knows all of its orders. */
function cyclic(): unknown {
  const shop = { name: 'The shop', orders: [] as object[] };
  for (const row of rows(100)) shop.orders.push({ ...row, shop, before: shop.orders.at(-1) ?? null });
  return shop;
}

/** Makes views of six classes, each alone on its buffer, as a program that draws or listens has them. */
function typedArrays(): unknown {
  const random = seededRandom(3);
  return {
    mask: filled(new Uint8Array(1000), 256, random),
    samples: filled(new Int16Array(500), 30_000, random),
    indices: filled(new Uint32Array(300), 100_000, random),
    deltas: filled(new Int32Array(300), 100_000, random),
    positions: filled(new Float32Array(600), 100, random),
    weights: filled(new Float64Array(200), 1, random),
  };
}
