import { type Message, toMessage } from '@lumenize/structured-clone/messages';
import type { CostKind } from './kind.ts';
import { frame, times, upTo } from './make.ts';

const maps = (count: number) => times(count, () => ({ $Map: [] }));

/** A call with bytes in its arguments. */
function withBytes(id: number, method: string, bytes: number): Message {
  return toMessage(`[${id},["${method}",{"$":[{"$Uint8Array":[{"$bytes":${bytes}}]}]}]]`, [new Uint8Array(bytes)]);
}

/** A call that takes streams of the client and reads from them, and answers with what nobody reads: `chunk`. */
function unread(count: number, chunk: (id: number) => Message) {
  return (bytes: number) => [
    frame(1, ['never', { $: [upTo(count, bytes, (place) => ({ $iterable: [place + 1] }))] }]),
    ...upTo(count, bytes, (place) => chunk(place + 1)),
  ];
}

/** `maxBytesInFlight`, and what objects take beyond what they count; or twice that, and as much garbage, for what piles up outside. */
const MOST = { waiting: 48_000_000, unread: 130_000_000 };

const KINDS: readonly [name: string, make: CostKind['frames'], group?: keyof typeof MOST][] = [
  [
    'arguments of running calls: bytes',
    (bytes) => upTo(1000, bytes, (place) => withBytes(place + 1, 'never', 100_000)),
  ],
  [
    'arguments of running calls: Maps',
    (bytes) => upTo(50, bytes, (place) => frame(place + 1, ['never', { $: [maps(10_000)] }])),
  ],
  [
    'arguments of calls that wait for others',
    (bytes) => [
      frame(1, ['never', []]),
      ...upTo(500, bytes, (place) =>
        frame(place + 2, ['echo', { $: [{ $result: [0] }, 'x'.repeat(100_000)], of: [[1, 0]] }]),
      ),
    ],
  ],
  [
    'steps that are kept: data',
    (bytes) => upTo(500, bytes, (place) => frame(place + 1, ['echo', [`${place}`.padEnd(200_000)], 'length'])),
  ],
  [
    'steps that are kept: Maps',
    (bytes) => upTo(100, bytes, (place) => frame(place + 1, ['echo', { $: [maps(10_000)] }, 'length'])),
  ],
  [
    'chunks that nobody asked for',
    unread(1000, (id) =>
      toMessage(`[-${id},{"$":[0,{"$Uint8Array":[{"$bytes":260000}]}]}]`, [new Uint8Array(260_000)]),
    ),
  ],
  ['results that are not read', (bytes) => upTo(3000, bytes, (place) => frame(place + 1, ['large', []])), 'unread'],
  [
    'chunks that are sent and not read',
    (bytes) => [
      frame(1, ...upTo(1000, bytes, () => ['flood', []])),
      ...upTo(1000, bytes, (place) => frame(2000 + place * 8, ...times(8, () => [place + 1, []]))),
    ],
    'unread',
  ],
];

export const WAITING_KINDS: readonly CostKind[] = KINDS.map(([name, make, group = 'waiting']): CostKind => {
  return { group, name, frames: make, bound: 0, most: MOST[group] };
});
