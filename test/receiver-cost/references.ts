import type { Message } from '@lumenize/rpc';
import { STEPS } from '../../packages/rpc/src/protocol/signal.ts';
import * as extension from '../../packages/rpc/src/protocol/tags.ts';
import { recording as recorded } from '../../packages/rpc/test/support/frames.ts';
import type { CostKind } from './kind.ts';
import { call, extended, sequence, times, upTo } from './make.ts';

const result = () => extended(extension.RESULT, 1);

const recording = (steps: unknown[]) => recorded([...steps, [null]]);

/** A frame that maps a short list by a recorded callback. */
function mapping(steps: unknown[]): Message {
  return sequence(1, call('list'), [1, 'map', [recording(steps)]], [STEPS, 0]);
}

/** A kind that is a list of arguments of a method. */
function listed(name: string, make: (bytes: number) => unknown[], bound: number, method = 'echo'): CostKind {
  return {
    group: 'references',
    name,
    frames: (bytes) => [sequence(1, [0, 'value'], call(method, make(bytes)))],
    bound,
  };
}

/** A kind of which there are at most a thousand at once, held by a call that does not end. */
function channels(name: string, kind: string, bound: number): CostKind {
  return listed(name, (bytes) => upTo(1000, bytes, (id) => extended(kind, id)), bound, 'never');
}

export const REFERENCE_KINDS: readonly CostKind[] = [
  listed('targets', (bytes) => upTo(20_000, bytes, (id) => extended(extension.TARGET, id)), 300),
  listed('functions', (bytes) => upTo(20_000, bytes, (id) => extended(extension.FUNCTION, id)), 300),
  listed('results as arguments', (bytes) => times(Math.min(bytes / 5, 200_000), result), 100, 'look'),
  listed('a list of numbers with one result in it', (bytes) => [result(), ...times(bytes, () => 1)], 50),
  listed('a list of undefined with one result in it', (bytes) => [result(), ...times(bytes, () => undefined)], 50),
  {
    group: 'references',
    name: 'a text that arguments hold often, of an exactly-once call',
    frames: (bytes) => [sequence(1, call('echo', 'x'.repeat(50_000)), call('once', upTo(10_000, bytes, result)))],
    bound: 50,
  },
  listed('values by extension', (bytes) => times(bytes / 4, () => extended(extension.VALUE, 1)), 100),
  channels('streams', extension.READABLE, 4000),
  channels('streams to write to', extension.WRITABLE, 4000),
  channels('async iterables', extension.ITERABLE, 4000),
  channels('promises', extension.PROMISE, 4000),
  channels('signals', extension.ABORT_SIGNAL, 4000),
  {
    group: 'references',
    name: 'a recorded callback of many steps',
    // Of four elements each.
    frames: (bytes) => [mapping(times(Math.min(bytes / 10, 9000), () => [0, 'at', [0]]))],
    bound: 300,
  },
  {
    group: 'references',
    name: 'many recorded callbacks',
    frames: (bytes) => [
      sequence(
        1,
        call('list'),
        ...times(Math.min(bytes / 25, 9000), (place) => [place + 1, 'map', [recording([[0]])]]),
        [STEPS, 0],
      ),
    ],
    bound: 300,
  },
  {
    group: 'references',
    name: 'subscriptions',
    frames: (bytes) => [sequence(1, ...times(Math.min(bytes / 10, 9000), () => call('follow')))],
    bound: 1500,
  },
  listed('signals that are aborted', (bytes) => times(bytes / 6, () => extended(extension.ABORT_SIGNAL, null, 1)), 50),
];
