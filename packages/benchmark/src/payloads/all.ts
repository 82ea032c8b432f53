import type { CodecName } from '../codecs/codec.ts';
import { bytes, numbers } from './numbers.ts';
import type { Payload } from './payload.ts';
import { cyclic, mapSetDate, typedArrays } from './rich.ts';
import { distinctRows, rows, rowsOf } from './rows.ts';
import { text, textOfManyScripts } from './text.ts';
import { tree } from './tree.ts';

const LADDER = { '64B': 64, '1KiB': 1024, '16KiB': 16_384, '256KiB': 262_144, '1MiB': 1_048_576 } as const;

/** Seroval takes no buffer whose base64 is longer than a million characters. */
const SEROVAL_BYTES = 750_000;

const LIST: readonly Payload[] = [
  plain('rows-200', () => rows(200)),
  plain('rows-distinct', () => distinctRows(200)),
  plain('tree', tree),
  plain('numbers', () => numbers(1000)),
  plain('text-60kB', () => textOfManyScripts(60_000)),
  tiny('number', () => 42),
  tiny('short-string', () => 'hello, world'),
  tiny('small-object', () => ({ x: 12, y: -7, name: 'door' })),
  rich('map-set-date', mapSetDate, ['JSON', 'capnweb']),
  rich('cyclic', cyclic, ['JSON', 'capnweb']),
  rich('typed-arrays', typedArrays, ['JSON']),
  ...Object.entries(LADDER).map(([size, count]) => sized('text', size, count, () => text(count))),
  ...Object.entries(LADDER).map(([size, count]) => sized('rows', size, count, () => rowsOf(count))),
  ...Object.entries(LADDER).map(([size, count]) => ofBytes(`bytes-${size}`, count)),
];

/** Every payload by its name, in the order in which tables show them. */
export const PAYLOADS: ReadonlyMap<string, Payload> = new Map(LIST.map((payload) => [payload.name, payload]));

/** Returns the payload called `name`. */
export function payloadNamed(name: string): Payload {
  const payload = PAYLOADS.get(name);
  if (!payload) throw new Error(`no payload is called ${name}`);
  return payload;
}

function plain(name: string, make: () => unknown): Payload {
  return { name, kind: 'plain', make, notCarriedBy: [] };
}

function tiny(name: string, make: () => unknown): Payload {
  return { name, kind: 'tiny', make, notCarriedBy: [] };
}

function rich(name: string, make: () => unknown, notCarriedBy: readonly CodecName[]): Payload {
  return { name, kind: 'rich', make, notCarriedBy };
}

function sized(name: string, size: string, count: number, make: () => unknown): Payload {
  return { name: `${name}-${size}`, kind: count === LADDER['64B'] ? 'tiny' : 'plain', make, notCarriedBy: [] };
}

function ofBytes(name: string, count: number): Payload {
  return {
    name,
    kind: 'bytes',
    make: () => bytes(count),
    notCarriedBy: count > SEROVAL_BYTES ? ['JSON', 'seroval'] : ['JSON'],
  };
}
