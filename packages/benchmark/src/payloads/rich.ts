import { seededRandom } from '@lumenize/hosts/random';
import { type Row, rows } from './rows.ts';

const DAY_MS = 86_400_000;

/** A Map of rows by their number, a Set and Dates. */
export function mapSetDate(): unknown {
  const all = rows(100);
  return {
    orders: new Map(all.map((row, i) => [row.id, { ...row, at: new Date(Date.UTC(2026, 0, 1) + i * DAY_MS) }])),
    cities: new Set(all.map(({ city }) => city)),
    from: new Date(Date.UTC(2026, 0, 1)),
    until: new Date(Date.UTC(2026, 3, 11)),
  };
}

/** Orders that know the order before them and their shop, which knows all of its orders. */
export function cyclic(): unknown {
  interface Shop {
    readonly name: string;
    readonly orders: Order[];
  }
  interface Order extends Row {
    readonly shop: Shop;
    readonly before: Order | null;
  }
  const shop: Shop = { name: 'The shop', orders: [] };
  for (const row of rows(100)) shop.orders.push({ ...row, shop, before: shop.orders.at(-1) ?? null });
  return shop;
}

/** Views of six classes, each alone on its buffer, as a program that draws or listens has them. */
export function typedArrays(): unknown {
  const random = seededRandom(3);
  const fill = <T extends { length: number; [i: number]: number }>(array: T, scale: number) => {
    for (let i = 0; i < array.length; i++) array[i] = random() * scale;
    return array;
  };
  return {
    mask: fill(new Uint8Array(1000), 256),
    samples: fill(new Int16Array(500), 30_000),
    indices: fill(new Uint32Array(300), 100_000),
    deltas: fill(new Int32Array(300), 100_000),
    positions: fill(new Float32Array(600), 100),
    weights: fill(new Float64Array(200), 1),
  };
}
