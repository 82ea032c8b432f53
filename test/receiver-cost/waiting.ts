import type { Message } from '@lumenize/rpc';
import { CREDIT, DATA, END } from '../../packages/rpc/src/protocol/channel.ts';
import { BYTES, CHANNELS, ITERABLE, READABLE } from '../../packages/rpc/src/protocol/tags.ts';
import type { CostKind } from './kind.ts';
import { call, extended, sequence, times, upTo } from './make.ts';

const maps = (count: number) => times(count, () => new Map());

/** A call that holds streams and does not read them, and a frame about each. */
function unread(count: number, payload: (id: number) => unknown, frame: (id: number) => Message) {
  return (bytes: number) => [sequence(1, call('never', upTo(count, bytes, payload))), ...upTo(count, bytes, frame)];
}

const iterable = (id: number) => extended(ITERABLE, id);

/** `maxBytesInFlight`, and what objects take beyond what they count; or twice that, and as much garbage, for what piles up outside. */
const MOST = { waiting: 48_000_000, unread: 130_000_000 };

const KINDS: readonly [name: string, make: CostKind['frames'], group?: keyof typeof MOST][] = [
  [
    'arguments of running calls: bytes',
    (bytes) => upTo(1000, bytes, (id) => sequence(id + 1, call('never', new Uint8Array(100_000)))),
  ],
  [
    'arguments of running calls: Maps',
    (bytes) => upTo(50, bytes, (id) => sequence(id + 1, call('never', maps(10_000)))),
  ],
  [
    'chunks that are not read: bytes',
    unread(
      1000,
      (id) => extended(READABLE, id, BYTES),
      (id) => sequence(CHANNELS, [id, DATA, new Uint8Array(260_000)]),
    ),
  ],
  ['chunks that are not read: Maps', unread(16, iterable, (id) => sequence(CHANNELS, [id, DATA, maps(100_000)]))],
  [
    'ends of streams that are not read',
    unread(1000, iterable, (id) => sequence(CHANNELS, [id, END, new Uint8Array(200_000)])),
  ],
  ['results that are not read', (bytes) => upTo(3000, bytes, (id) => sequence(id + 1, call('large'))), 'unread'],
  [
    'chunks that are sent and not read',
    (bytes) => [
      sequence(1, ...upTo(1000, bytes, () => call('flood'))),
      sequence(CHANNELS, ...upTo(1000, bytes, (id) => [-1 - id, CREDIT, 100_000_000])),
    ],
    'unread',
  ],
];

export const WAITING_KINDS: readonly CostKind[] = KINDS.map(([name, make, group = 'waiting']): CostKind => {
  return { group, name, frames: make, bound: 0, most: MOST[group] };
});
