import { DATA } from '../../packages/rpc/src/protocol/channel.ts';
import { bytesOf, type Message } from '../../packages/rpc/src/protocol/message.ts';
import { writeResent } from '../../packages/rpc/src/protocol/resent.ts';
import { ACKNOWLEDGE, CANCEL, FORGET, RELEASE, STEPS } from '../../packages/rpc/src/protocol/signal.ts';
import { CHANNELS, PART, REVERSED, TOKEN } from '../../packages/rpc/src/protocol/tags.ts';
import type { CostKind } from './kind.ts';
import { call, frames, sequence, times } from './make.ts';

/** The most that a frame may have. */
const OPERATIONS = 10_000;

const full = (operation: () => unknown[], ...behind: unknown[]) =>
  sequence(1, ...times(OPERATIONS, operation), ...behind);

/** Frames of so many bytes in all, each with as many operations as it may have. */
const fullOf = (operation: () => unknown[]) => (bytes: number) => {
  const frame = full(operation);
  return frames(bytes, frame.length, () => frame);
};

function parts(message: Uint8Array, size: number): Message[] {
  const count = Math.ceil(message.length / size);
  return times(count, (place) => sequence(PART, count - 1 - place, message.subarray(place * size, (place + 1) * size)));
}

function nestedParts(bytes: number): Message {
  let message = sequence(1, call('increment'));
  while (message.length < bytes) message = sequence(PART, 0, bytesOf(message));
  return message;
}

/** A call, and a signal with a list of numbers. */
const numbers = (kind: number) => (bytes: number) => [
  sequence(1, call('increment'), [kind, ...times(Math.min(bytes, 100_000), () => 5)]),
];

function increments(bytes: number): Message[] {
  return frames(bytes, 15, (place) => sequence(place + 2, call('increment')));
}

const FRAMES: readonly [name: string, make: CostKind['frames'], bound: number][] = [
  ['calls, 10,000 of a frame', fullOf(() => call('increment')), 60],
  ['calls, each of a frame', increments, 100],
  ['calls, each of a frame, while another runs', (bytes) => [sequence(1, call('never')), ...increments(bytes)], 100],
  ['calls that throw', (bytes) => fullOf(() => call('fails'))(bytes / 5), 500],
  ['calls of what is not there', fullOf(() => call('x')), 150],
  ['calls that return targets', (bytes) => fullOf(() => call('child'))(bytes / 10), 500],
  [
    'steps',
    (bytes) => frames(bytes, 70_000, () => full(() => call('child'), [STEPS, ...times(OPERATIONS, (place) => place)])),
    150,
  ],
  ['paths of 64 names', (bytes) => [sequence(1, ...times(bytes / 160, () => [0, times(64, () => 'self')]))], 100],
  ['parts of one byte', (bytes) => parts(new Uint8Array(bytes / 10), 1), 100],
  ['parts of 64 KiB, without the last', (bytes) => parts(new Uint8Array(bytes), 65_536).slice(0, -1), 10],
  ['parts inside of parts', (bytes) => [nestedParts(bytes / 20)], 50],
  [
    'frames that are sent again',
    (bytes) => {
      const frame = writeResent(
        0,
        times(OPERATIONS, (place) => place),
        full(() => call('add', 1, 2)),
      );
      return frames(bytes, frame.length, () => frame);
    },
    60,
  ],
  [
    'places of frames that are sent again',
    (bytes) => [
      writeResent(
        0,
        times(bytes, () => 1),
        sequence(1, call('add', 1, 2)),
      ),
    ],
    40,
  ],
  ['references that are let go of', numbers(RELEASE), 200],
  ['results of steps that are let go of', numbers(FORGET), 200],
  ['stored results that are acknowledged', numbers(ACKNOWLEDGE), 200],
  [
    'calls that are given up',
    (bytes) => [
      sequence(1, call('increment'), ...times(Math.min(bytes / 10, 60_000), (place) => [CANCEL, place, 'x'])),
    ],
    150,
  ],
  [
    'signals of channels that are not open',
    (bytes) => [sequence(CHANNELS, ...times(Math.min(bytes / 5, 60_000), (place) => [place, DATA, 1]))],
    100,
  ],
  [
    'results of calls that nobody made',
    (bytes) => [sequence(REVERSED, 1, ...times(Math.min(bytes / 3, 100_000), () => [1]))],
    150,
  ],
  ['tokens', (bytes) => frames(bytes, 8200, () => sequence(TOKEN, 0, 'x'.repeat(8192))), 30],
];

export const FRAME_KINDS: readonly CostKind[] = FRAMES.map(([name, make, bound]) => {
  return { group: 'frames', name, frames: make, bound };
});
