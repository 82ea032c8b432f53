import { type Random, seededRandom } from '@lumenize/hosts/random';
import tree from './tree.json' with { type: 'json' };
import words from './words.json' with { type: 'json' };

/** Words for payloads. The words of `manyScripts` that are not Latin have two to four bytes per letter. */
const [FIRST_NAMES, LAST_NAMES, CITIES, ENGLISH, MANY_SCRIPTS] = (
  ['firstNames', 'lastNames', 'cities', 'english', 'manyScripts'] as const
).map((name) => words[name].split(' '));

/** The number of bytes of a row in JSON, with the comma after it. */
const ROW_BYTES = 74;
const LADDER = { '64B': 64, '1KiB': 1024, '16KiB': 16_384, '256KiB': 262_144, '1MiB': 1_048_576 } as const;
const DAY_MS = 86_400_000;

/** Returns functions that create a payload of each size. */
function ladder(name: string, make: (size: number) => unknown) {
  return Object.fromEntries(Object.entries(LADDER).map(([of, size]) => [`${name}-${of}`, () => make(size)]));
}

/** Functions that create the payloads, in the order of tables. Each returns the same value every time. */
export const PAYLOADS: Readonly<Record<string, () => unknown>> = {
  'rows-200': () => rows(200),
  'rows-distinct': () => distinctRows(200),
  // A configuration of about 5 kB of JSON, as a deployment tool writes it: deep, and with hardly two similar objects.
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
 * Creates rows like the orders of a shop, of about 73 bytes of JSON each. They repeat like those of a database: a
 * customer's name is in two rows, and there are twenty cities. Prices have cents.
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

/** Creates rows with the same keys and sizes in which hardly any text occurs twice. */
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

/** Creates numbers: a quarter each of small integers, integers of either sign, amounts with cents, and any doubles. */
function numbers(count: number): number[] {
  const random = seededRandom(5);
  const kinds = [
    () => Math.floor(random() * 100),
    // Plus 1, because the result could otherwise be -0, which JSON loses.
    () => Math.floor((random() - 0.5) * 2 ** 40) + 1,
    () => Math.round(random() * 100_000) / 100,
    () => random() * 10 ** Math.floor(random() * 12 - 6),
  ];
  return Array.from({ length: count }, (_, i) => kinds[i % kinds.length]());
}

/** Creates bytes without any pattern. */
export function bytes(count: number): Uint8Array {
  return filled(new Uint8Array(count), 256, seededRandom(6));
}

function filled<T extends { length: number; [i: number]: number }>(array: T, scale: number, random: Random): T {
  for (let i = 0; i < array.length; i++) array[i] = random() * scale;
  return array;
}

/** Creates text of words until `size` is reached. `sizeOf` measures a word, and a space follows each. */
function written(words: readonly string[], size: number, sizeOf: (word: string) => number): string {
  const random = seededRandom(4);
  const parts: string[] = [];
  for (let left = size; left > 0; left -= sizeOf(parts.at(-1)!) + 1) {
    parts.push(words[Math.floor(random() * words.length)]);
  }
  return parts.join(' ');
}

/** Creates a Map of rows by number, a Set and Dates. */
function mapSetDate(): unknown {
  const all = rows(100);
  return {
    orders: new Map(all.map((row, i) => [row.id, { ...row, at: new Date(Date.UTC(2026, 0, 1) + i * DAY_MS) }])),
    cities: new Set(all.map(({ city }) => city)),
    from: new Date(Date.UTC(2026, 0, 1)),
    until: new Date(Date.UTC(2026, 3, 11)),
  };
}

/** Creates orders that refer to the previous order and to their shop, which refers to all of its orders. */
function cyclic(): unknown {
  const shop = { name: 'The shop', orders: [] as object[] };
  for (const row of rows(100)) shop.orders.push({ ...row, shop, before: shop.orders.at(-1) ?? null });
  return shop;
}

/** Creates views of six classes, each with a buffer of its own, as in a program for graphics or audio. */
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
