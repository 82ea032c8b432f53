import { FIRST_KEPT, referenceAddress, stepAddress } from '../../packages/rpc/src/protocol/address.ts';
import * as channel from '../../packages/rpc/src/protocol/channel.ts';
import { bytesOf, type Message } from '../../packages/rpc/src/protocol/message.ts';
import { captureAddress } from '../../packages/rpc/src/protocol/recording.ts';
import { writeResent } from '../../packages/rpc/src/protocol/resent.ts';
import {
  ACKNOWLEDGE,
  CANCEL,
  CONSUMED,
  FORGET,
  RELEASE,
  STEPS,
  UNSUBSCRIBE,
} from '../../packages/rpc/src/protocol/signal.ts';
import * as extension from '../../packages/rpc/src/protocol/tags.ts';
import { CHANNELS, EVENTS, PART, REVERSED } from '../../packages/rpc/src/protocol/tags.ts';
import { Extended, recording, sequence } from '../../packages/rpc/test/support/frames.ts';
import type { Random } from '../../packages/structured-clone/test/fuzz/random.ts';

/** Frames that a client could send to a victim, of all kinds; the first id of calls is `id`. */
const FRAMES: readonly ((id: number, random: Random) => Message)[] = [
  // Calls, reads and chains.
  (id) => sequence(id, call(0, 'increment')),
  (id, random) => sequence(id, call(0, 'add', random.below(1000), 2)),
  (id) => sequence(id, [0, 'value']),
  (id) => sequence(id, [0, ['self', 'value']], [0, 'self', [], 1000], [0, 'add', [1, 2], 5, '00-traceparent-01']),
  (id) => sequence(id, call(0, 'child'), call(1, 'increment', 2), [STEPS, 0]),
  (id) => sequence(id, call(0, 'profile'), [1, ['owner', 'name']], [2, ['tags', 'size']], [STEPS, 0]),
  (id) => sequence(id, ...Array.from({ length: 20 }, () => call(0, 'increment'))),
  (id) => sequence(id, call(0, 'fails'), call(1, 'increment'), call(0, 'never'), call(0, 'echoLater', 'x')),
  (id) => sequence(id, [0, 'value'], call(0, 'echo', result(1)), call(0, 'add', result(1), result(2))),
  // Values.
  (id) => sequence(id, call(0, 'echo', [new Map([['k', new Set([1, 2n, -0])]]), new Date(0), undefined, [1, , 3]])),
  (id) => sequence(id, call(0, 'echo', circle(), new RangeError('e', { cause: new Error('c') }))),
  (id) => sequence(id, call(0, 'echo', new Uint8Array(64), new Float64Array([1, Number.NaN]), new URL('a:b'))),
  (id) => sequence(id, call(0, 'look', { constructor: 1, toString: 2, ['__proto__']: { polluted: true }, then: 3 })),
  (id) => sequence(id, call(0, 'echo', /(a+)+$/), call(0, 'echo', rows())),
  // References, both ways.
  (id) => sequence(id, call(0, 'child'), call(0, 'adder', 5), call(1, [], 1)),
  (id, random) => sequence(id, call(referenceAddress(random.below(8)), 'value'), call(0, 'echo', result(FIRST_KEPT))),
  (id, random) => sequence(id, call(stepAddress(id - 1 - random.below(20)), 'increment')),
  (id, random) => sequence(id, call(0, 'ask', new Extended(extension.FUNCTION, random.below(20)))),
  (id, random) => sequence(id, call(0, 'echo', new Extended(extension.TARGET, random.below(20)))),
  (id) => sequence(id, call(0, 'echo', new Extended(extension.VALUE, [1, 2])), [RELEASE, 0, 1, 1, 1], [FORGET, id - 1]),
  (id) => sequence(id, call(0, 'never'), [CANCEL, id - 1, 'CANCELLED'], [STEPS, 0]),
  // Streams and the like.
  (id) => sequence(id, call(0, 'count', 50), call(0, 'bytes')),
  (id) => sequence(id, call(0, 'drain', new Extended(extension.ITERABLE, id)), call(0, 'drain', bytes(id))),
  (id) => sequence(id, call(0, 'write', new Extended(extension.WRITABLE, id))),
  (id) => sequence(id, call(0, 'wait', new Extended(extension.ABORT_SIGNAL, id)), call(0, 'echoLater', promise(id))),
  (id) => sequence(CHANNELS, [id, channel.DATA, 'chunk'], [id, channel.DATA, new Uint8Array(9)], [id, channel.END]),
  (id) =>
    sequence(CHANNELS, [-1, channel.CREDIT, 4096], [-2, channel.STOP, ['CANCELLED', 'no']], [id, channel.BLOCKED]),
  (id) => sequence(CHANNELS, [id, channel.FAIL, [new Error('e')]], [-1, channel.STOP]),
  // Recordings.
  (id) => mapping(id, 'map', recording([[0, 'at', [0]], [result(1)]])),
  (id) => mapping(id, 'filter', recording([[result(0, 'size')]])),
  (id) => mapping(id, 'map', recording([[captureAddress(0), 'add', [result(0, 'size'), 1]], [result(1)]], result(0))),
  (id) => mapping(id, 'map', recording([[0, 'map', [recording([[1]])]], [{ a: result(1), b: result(0) }]])),
  // Results, of calls that the server may have made.
  (_id, random) => sequence(REVERSED, 1 + random.below(9), ['value'], 2, [0, new Error('e')], [1, ['DENIED', 'no']]),
  (_id, random) => sequence(REVERSED, 1 + random.below(9), [2, ['MALFORMED_FRAME', 'no', 0]]),
  // Parts; of a message of one part, so that what comes next is not taken for another.
  (id) => sequence(PART, 0, bytesOf(sequence(id, call(0, 'increment')))),
  // What makes a connection that was lost go on: calls sent again, and results acknowledged.
  (id) => writeResent(undefined, [0], sequence(id, call(0, 'increment'))),
  (_id) => sequence(EVENTS, 'news', ['a.b', 1], 'event'),
];

/** Frames that have something stored, for which everybody who is answered then has to wait: so there are few of them. */
const STORING: typeof FRAMES = [
  // Results of exactly-once calls.
  (id, random) => writeResent(random.below(1e6), [1], sequence(id, call(0, 'child'), call(1, 'once', 1), [STEPS, 0])),
  (id) => writeResent(50, [0, 2], sequence(id, call(0, 'once', 1), call(0, 'add', 1, 2), call(0, 'once', result(1)))),
  (id, random) => sequence(id, call(0, 'once', 1), [ACKNOWLEDGE, random.below(id), id - 1], [CANCEL, 1, 'x']),
  // Topics.
  (id) => sequence(id, call(0, 'follow', 0), call(0, 'announce', { news: id }), [CONSUMED, 'news', 5]),
  (id, random) => sequence(id, call(0, 'follow', random.below(100)), [UNSUBSCRIBE, 'news', 1], [CONSUMED, 'none', 1]),
];
const ONE_STORES_IN = 40;

/** Makes a number of valid frames, with ids that go up. */
export function validFrames(count: number, random: Random): Message[] {
  return Array.from({ length: count }, (_, n) => {
    const make = n % ONE_STORES_IN === 0 ? STORING[(n / ONE_STORES_IN) % STORING.length] : FRAMES[n % FRAMES.length];
    return make(1 + n * 20, random);
  });
}

function call(receiver: number, path: string | string[], ...args: unknown[]): unknown[] {
  return [receiver, path, args];
}

function result(...parts: unknown[]): Extended {
  return new Extended(extension.RESULT, ...parts);
}

function bytes(id: number): Extended {
  return new Extended(extension.READABLE, id + 1, extension.BYTES);
}

function promise(id: number): Extended {
  return new Extended(extension.PROMISE, id + 1);
}

function mapping(id: number, name: string, callback: Extended): Message {
  return sequence(id, call(0, 'list'), call(1, name, callback), [STEPS, 0]);
}

function circle(): unknown {
  const value: { self?: unknown; list: unknown[] } = { list: [] };
  value.self = value;
  value.list.push(value, value.list);
  return value;
}

function rows(): unknown {
  return Array.from({ length: 10 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }));
}
