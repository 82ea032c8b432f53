import { PLAIN_MARKS, TYPES } from './marks.ts';
import type { Random } from './random.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Container = Json[] | { [key: string]: Json };

const CHARACTERS = [...'{}[]",:$\\-.0123456789eEuntf \n\uD800é'];
const MARKS = [
  ...PLAIN_MARKS,
  ...TYPES.map(([mark]) => mark),
  ...['$extension', '$$', '$$$', '$__proto__', '$constructor', '$Function', '$Object', '$Proxy'],
];
const KEYS = [
  ...MARKS,
  '__proto__',
  'constructor',
  'prototype',
  'then',
  'toJSON',
  'length',
  'name',
  'message',
  'cause',
  'a',
];
const LEAVES: readonly Json[] = [
  ...[0, 1, 2, 3, -1, 0.5, 1e9, 1e308, 2 ** 31, 2 ** 32, 2 ** 53, true, false, null],
  ...[[2], { $Number: [2] }, { $Date: [2] }, { $bigint: '2' }, { $null: {} }, { $extension: [0, 0] }],
  ...[
    { $Uint8Array: [{ $bytes: 'Ag==' }] },
    { $: {} },
    { $class: ['Registered', 'a'] },
    { $undefined: 0 },
    { $number: 'NaN' },
    { $reference: 0 },
  ],
  ...['', 'NaN', '-0', '0x10', '9'.repeat(30), 'AQI=', '*', 'message', 'stack', '__proto__', 'constructor'],
];

/** Damages a text: mostly the tree that its JSON is, so that it stays JSON, else its characters. */
export function mutateText(encodings: readonly string[], random: Random): string {
  const original = random.pick(encodings);
  const times = 1 + random.below(3);
  if (random.oneIn(5)) {
    let text = original;
    for (let left = times; left > 0; left--) text = mutateCharacters(text, random, encodings);
    return text;
  }
  // A holder, so that the root can be replaced like anything else.
  const holder: Json[] = [JSON.parse(original) as Json];
  for (let left = times; left > 0; left--) mutateTree(holder, random, encodings);
  return JSON.stringify(holder[0]) ?? 'null';
}

function mutateCharacters(text: string, random: Random, others: readonly string[]): string {
  const at = random.below(text.length + 1);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + random.pick(CHARACTERS) + text.slice(at);
    case 2:
      return text.slice(0, at) + random.pick(CHARACTERS) + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + text.slice(at + 1 + random.below(4));
    default: {
      const other = random.pick(others);
      return text.slice(0, at) + other.slice(random.below(other.length));
    }
  }
}

function mutateTree(root: Json[], random: Random, others: readonly string[]): void {
  const [container, key] = placeIn(root, random);
  const fields = container as { [key: string]: Json };
  const value = fields[key];
  switch (random.below(9)) {
    case 0:
      return put(fields, key, anyLeaf(random));
    case 1:
      return put(fields, key, { [random.pick(MARKS)]: value });
    case 2:
      return put(fields, key, { [random.pick(MARKS)]: anyLeaf(random) });
    case 3:
      return put(fields, key, [value, value]);
    case 4:
      // Parts move by one, and so do all that are counted.
      if (Array.isArray(container)) container.splice(Number(key), random.below(2), anyLeaf(random));
      else put(fields, random.pick(KEYS), value);
      return;
    case 5:
      if (Array.isArray(container)) container.splice(Number(key), 1);
      else delete fields[key];
      return;
    case 6:
      return rename(container, key, random.pick(KEYS));
    case 7: {
      const [otherContainer, otherKey] = placeIn(root, random);
      const otherFields = otherContainer as { [key: string]: Json };
      // A copy: a tree that is in itself is no JSON.
      return put(fields, key, structuredClone(otherFields[otherKey]));
    }
    default:
      return put(fields, key, JSON.parse(random.pick(others)) as Json);
  }
}

/** Finds a place in a tree, as the container and its key. */
function placeIn(root: Json[], random: Random): [container: Container, key: string] {
  let container: Container = root;
  let key = '0';
  for (;;) {
    const inside: Json = (container as { [key: string]: Json })[key];
    if (typeof inside !== 'object' || inside === null || random.oneIn(4)) return [container, key];
    const keys = Object.keys(inside);
    if (keys.length === 0) return [container, key];
    container = inside;
    key = random.pick(keys);
  }
}

/** Changes one key and keeps the order of all. */
function rename(container: Container, from: string, to: string): void {
  if (Array.isArray(container)) return;
  const fields = Object.entries(container);
  for (const [key] of fields) delete container[key];
  for (const [key, value] of fields) put(container, key === from ? to : key, value);
}

/** A copy: it may be changed itself. */
function anyLeaf(random: Random): Json {
  const leaf = random.pick(LEAVES);
  return typeof leaf === 'object' ? structuredClone(leaf) : leaf;
}

function put(fields: { [key: string]: Json }, key: string, value: Json): void {
  Object.defineProperty(fields, key, { value, enumerable: true, writable: true, configurable: true });
}
