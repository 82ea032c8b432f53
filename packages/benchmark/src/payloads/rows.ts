import { seededRandom } from '@lumenize/hosts/random';

/** A row as a shop's list of orders has it, of about 73 bytes of JSON. */
export interface Row {
  readonly id: number;
  readonly name: string;
  readonly city: string;
  readonly price: number;
  readonly paid: boolean;
}

const FIRST_NAMES = (
  'Ada Grace Alan Edsger Barbara Donald Mary John Fran Niklaus Radia Dennis Karen Ken Sophie Claude Adele Tony ' +
  'Shafi Leslie'
).split(' ');
const LAST_NAMES = (
  'Byron Hopper Turing Liskov Knuth Backus Allen Wirth Gray Ritchie Jones Wilson Shannon Hoare Micali Lamport ' +
  'Church Floyd Milner Karp Cook Rabin Scott Yao Tarjan'
).split(' ');
const CITIES = (
  'London Paris Berlin Oslo Vienna Madrid Rome Lisbon Dublin Prague Athens Zurich Milan Porto Bergen Graz Lyon Nice ' +
  'Bern Turku'
).split(' ');

/** What a row is in JSON, with the comma behind it. */
const ROW_BYTES = 74;

/**
 * Makes rows that repeat as those of a database do: a customer's name stands in two rows, a city in one of twenty, and
 * prices have cents.
 */
export function rows(count: number): Row[] {
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
export function distinctRows(count: number): Row[] {
  const random = seededRandom(2);
  return rows(count).map(({ name, city }) => ({
    id: Math.floor(random() * 900) + 100,
    name: letters(name.length, random),
    city: letters(city.length, random),
    price: Math.round(random() * 9900 + 100) / 100,
    paid: random() < 0.5,
  }));
}

/** Makes as many rows as have about `bytes` of JSON. */
export function rowsOf(bytes: number): Row[] {
  return rows(Math.max(1, Math.round(bytes / ROW_BYTES)));
}

function customerName(customer: number): string {
  const first = FIRST_NAMES[customer % FIRST_NAMES.length];
  const last = LAST_NAMES[Math.floor(customer / FIRST_NAMES.length) % LAST_NAMES.length];
  const namesake = Math.floor(customer / (FIRST_NAMES.length * LAST_NAMES.length));
  return namesake === 0 ? `${first} ${last}` : `${first} ${last} ${namesake}`;
}

function letters(length: number, random: () => number): string {
  return Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
}
