import type { CostKind } from './kind.ts';
import { frame, times, upTo } from './make.ts';

/** A result of the first call of the frame, in a form. */
const RESULT = { $result: [0] };

/** A call whose arguments are a form. */
const marked = (method: string, form: unknown, of?: unknown[]) => [method, { $: form, of }];

/** A recorded callback of these calls, which returns null. */
const callback = (entries: unknown[]) => ({ $callback: [JSON.stringify([[1, ...entries], [null]])] });

/** A frame that maps a short list by a recorded callback. */
const mapping = (entries: unknown[]) => frame(1, ['list', [], 'map', { $: [callback(entries)] }]);

/** A kind that is a list in the arguments of a method. */
function listed(name: string, make: (bytes: number) => unknown[], bound: number, method = 'echo'): CostKind {
  return {
    group: 'references',
    name,
    frames: (bytes) => [frame(1, ['value'], marked(method, [make(bytes)], [-1]))],
    bound,
  };
}

/** A kind of reference, of which there are as many as there may be, held by a call that does not end. */
function held(name: string, mark: string, bound: number): CostKind {
  return listed(name, (bytes) => upTo(19_000, bytes, (place) => ({ [mark]: [place + 1] })), bound, 'never');
}

export const REFERENCE_KINDS: readonly CostKind[] = [
  held('targets', '$target', 300),
  held('functions', '$function', 300),
  listed('results as arguments', (bytes) => times(Math.min(bytes / 15, 200_000), () => RESULT), 100, 'look'),
  listed('a list of numbers with one result in it', (bytes) => [RESULT, ...times(bytes / 2, () => 1)], 50),
  listed(
    'a list of undefined with one result in it',
    (bytes) => [RESULT, ...times(Math.min(bytes / 16, 200_000), () => ({ $undefined: 0 }))],
    50,
  ),
  {
    group: 'references',
    name: 'a text that arguments hold often, of an exactly-once call',
    frames: (bytes) => [
      frame(
        1,
        ['echo', ['x'.repeat(50_000)]],
        marked(
          'once',
          upTo(10_000, bytes, () => RESULT),
          [-1],
        ),
      ),
    ],
    bound: 50,
  },
  listed('own targets', (bytes) => times(Math.min(bytes / 14, 200_000), () => ({ $yours: [0] })), 100),
  held('streams', '$stream', 1000),
  held('streams of bytes', '$bytes-stream', 1000),
  held('streams to write to', '$sink', 1000),
  held('async iterables', '$iterable', 1000),
  held('signals', '$signal', 1000),
  {
    group: 'references',
    name: 'a recorded callback of many calls',
    // Of four elements each.
    frames: (bytes) => [mapping(times(Math.min(bytes / 12, 9000), () => ['at', [0]]))],
    bound: 300,
  },
  {
    group: 'references',
    name: 'many recorded callbacks',
    frames: (bytes) => [
      frame(1, ['list', []], ...times(Math.min(bytes / 60, 9000), () => [-1, 'map', { $: [callback([['size']])] }])),
    ],
    bound: 300,
  },
  {
    group: 'references',
    name: 'a recorded callback of one large constant',
    frames: (bytes) => [
      frame(1, ['list', [], 'map', { $: [{ $callback: [JSON.stringify([[1], ['x'.repeat(bytes)]])] }] }]),
    ],
    bound: 50,
  },
  {
    group: 'references',
    name: 'subscriptions',
    frames: (bytes) => [frame(1, ...times(Math.min(bytes / 10, 9000), () => ['follow', []]))],
    bound: 1500,
  },
  listed('signals that are aborted', (bytes) => times(bytes / 16, () => ({ $signal: [0, 1] })), 50),
];
