import type { CostKind } from './kind.ts';
import { frame, frames, times } from './make.ts';

/** The most that a frame may have. */
const OPERATIONS = 10_000;

const INCREMENT = ['increment', []];

/** Frames of so many bytes in all, each with as many calls as it may have. */
const fullOf = (entry: unknown[]) => (bytes: number) => {
  const text = frame(1, ...times(OPERATIONS, () => entry));
  return frames(bytes, text.length, (place) => frame(1 + place * OPERATIONS, ...times(OPERATIONS, () => entry)));
};

/** A signal with a list of numbers. */
const numbers = (name: string) => (bytes: number) => [
  JSON.stringify({ [name]: times(Math.min(bytes / 2, 200_000), () => 5) }),
];

function increments(bytes: number): string[] {
  return frames(bytes, 19, (place) => frame(place + 2, INCREMENT)) as string[];
}

const FRAMES: readonly [name: string, make: CostKind['frames'], bound: number][] = [
  ['calls, 10,000 of a frame', fullOf(INCREMENT), 60],
  ['calls, each of a frame', increments, 100],
  ['calls, each of a frame, while another runs', (bytes) => [frame(1, ['never', []]), ...increments(bytes)], 100],
  ['calls that throw', (bytes) => fullOf(['fails', []])(bytes / 5), 500],
  ['calls of what is not there', fullOf(['x', []]), 150],
  ['calls that return targets', (bytes) => fullOf(['child', []])(bytes / 10), 500],
  ['calls of steps, which are kept', fullOf(['child', [], 'self', []]), 150],
  ['one chain of calls', (bytes) => [frame(1, times(bytes / 10, () => ['self', []]).flat())], 100],
  ['paths of 64 names', (bytes) => [frame(1, ...times(bytes / 450, () => times(64, () => 'self')))], 100],
  [
    'frames that are sent again',
    (bytes) => {
      const open = times(OPERATIONS, (place) => place + 1);
      const text = JSON.stringify({ again: [1, ...times(OPERATIONS, () => ['add', [1, 2]])], open, ms: 1 });
      return frames(bytes, text.length, () => text);
    },
    60,
  ],
  [
    'ids of frames that are sent again',
    (bytes) => [JSON.stringify({ again: [1, ['add', [1, 2]]], open: times(bytes / 2, () => 1), ms: 1 })],
    40,
  ],
  ['references that are let go of', numbers('release'), 200],
  ['calls that are given up', numbers('cancel'), 150],
  ['brackets', (bytes) => ['['.repeat(bytes)], 40],
  ['ids of answers to what nobody asked', (bytes) => [`[-1${',{"$":5}'.repeat(bytes / 8)}]`], 150],
  ['answers to calls that nobody made', (bytes) => [`[-1${',[1]'.repeat(Math.min(bytes / 4, 200_000))}]`], 150],
  ['acknowledgements', (bytes) => frames(bytes, 13, (place) => `[${place + 2},${place + 1},["value"]]`), 150],
  ['signals that mean nothing', (bytes) => frames(bytes, 14, () => '{"leave":"no"}'), 100],
];

export const FRAME_KINDS: readonly CostKind[] = FRAMES.map(([name, make, bound]) => {
  return { group: 'frames', name, frames: make, bound };
});
