import { RpcTarget } from '@lumenize/rpc';
import { describe, expect, test, vi } from 'vitest';
import { FIRST_KEPT, referenceAddress, stepAddress } from '../src/protocol/address.ts';
import { bytesOf } from '../src/protocol/message.ts';
import { CANCEL, FORGET, RELEASE } from '../src/protocol/signal.ts';
import { ABORT_SIGNAL, FUNCTION, PART, RESENT, RESULT, REVERSED, TARGET } from '../src/protocol/tags.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { callContext } from '../src/session/incoming/current-call.ts';
import { Extended, sequence } from './support/frames.ts';
import { recordedTransport } from './support/recorded-transport.ts';
import { withSameHash } from './support/same-hash.ts';

class Api extends RpcTarget {
  ran = 0;
  disposed = 0;
  self() {
    return this;
  }
  readonly #same = this.child();
  same() {
    return this.#same;
  }
  child() {
    const parent = this;
    return new (class Child extends RpcTarget {
      ping() {
        return 'pong';
      }
      [Symbol.dispose]() {
        parent.disposed++;
      }
    })();
  }
  count() {
    return ++this.ran;
  }
  echo(value: unknown) {
    return value;
  }
  readonly aborted: string[] = [];
  untilAborted() {
    const { signal } = callContext();
    return new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => {
        this.aborted.push(signal.reason.code);
        resolve();
      }),
    );
  }
  error() {
    return Object.assign(new Error('data'), { then: () => this.ran++ });
  }
  never() {
    return new Promise<void>(() => {});
  }
  call(listener: () => Promise<unknown>) {
    return listener();
  }
}

/** A session that frames are sent to by hand, with what it answered and how it closed. */
function serve(limits = {}) {
  const api = new Api();
  const { entries, closes, transport } = recordedTransport();
  const session = new ServerSession(api, transport, createServerContext({ limits }));
  const send = (...values: unknown[]) => session.receive(sequence(...values));
  return { api, session, entries, closes, send };
}

const call = (receiver: number, path: string | string[], ...args: unknown[]) => [receiver, path, args];

describe('references that were never given', () => {
  test.each([
    ['a reference', referenceAddress(0)],
    ['a reference with a huge number', FIRST_KEPT - 2 ** 50],
    ['a result', stepAddress(7)],
  ])('%s is lost, and nothing runs', (_name, address) => {
    const { send, entries, api } = serve();
    send(1, call(address, 'count'), call(0, 'echo', new Extended(RESULT, address)), call(0, 'echo', 5));
    expect(entries).toEqual([
      1,
      [1, ['REFERENCE_LOST', expect.any(String)]],
      [1, ['REFERENCE_LOST', expect.any(String)]],
      [5],
    ]);
    expect(api.ran).toBe(0);
  });

  test('cannot be released, also not more often than they were sent', () => {
    const { send, session, api } = serve();
    send(1, call(0, 'child'));
    expect(session.counts.exports).toBe(1);
    send(2, [RELEASE, 99, 1, 2 ** 50, 3], [FORGET, 12, 13], [CANCEL, 77, 'x']);
    expect(session.counts.exports).toBe(1);
    send(2, [RELEASE, 0, 2 ** 40]);
    expect([session.counts.exports, api.disposed]).toEqual([0, 1]);
    send(2, [RELEASE, 0, 1]);
    expect(api.disposed).toBe(1);
  });

  test("the connection's own target is not disposed of, whatever is released", () => {
    const { send, session, entries } = serve();
    send(1, call(0, 'self'));
    send(2, [RELEASE, 0, 1]);
    send(2, call(0, 'count'));
    expect([session.counts.exports, entries.at(-1)]).toEqual([0, [1]]);
  });
});

/** A value of a few hundred bytes, whose text would be too long for any memory. */
function endless(): unknown[] {
  let list: unknown[] = [];
  for (let level = 0; level < 64; level++) list = [list, list];
  return list;
}

describe('what is no number where a number has to be', () => {
  test.each([
    ['a text', String(FIRST_KEPT - 4)],
    ['a bigint', -20n],
    ['a list', [FIRST_KEPT - 4]],
    ['an object without a text', { toString: 1, valueOf: 2 }],
    ['an object with an endless text', endless()],
  ])('%s is no address', (_name, address) => {
    const { api, send, entries } = serve();
    send(1, call(0, 'count'), [address, 'count', []]);
    send(3, call(0, 'echo', new Extended(RESULT, address)));
    const refused = (place: number) => [2, ['MALFORMED_FRAME', expect.any(String), place]];
    expect(entries).toEqual([1, refused(1), 3, refused(0)]);
    expect(api.ran).toBe(0);
  });

  test('is no kind of a frame that is sent again', () => {
    const { send, closes } = serve();
    send(RESENT, null, [0], [{ toString: 1 }, call(0, 'count')]);
    expect(closes).toEqual([{ code: 1007, reason: expect.stringMatching(/^MALFORMED_FRAME/) }]);
  });

  test.each([
    ['a text', '0'],
    ['an object with an endless text', endless()],
    ['nothing', undefined],
  ])('%s is no place of an operation that is to blame', (_name, place) => {
    const { send, entries, closes } = serve();
    send(1, call(0, 'call', new Extended(FUNCTION, 0)));
    const [, id] = entries;
    send(REVERSED, id, [2, ['DENIED', 'no', place]]);
    expect(closes).toMatchObject([{ code: 1007 }]);
  });
});

test('a frame that is refused when it is sent again leaves what later calls were passed', () => {
  const { send, session, entries } = serve();
  send(50, call(0, 'call', new Extended(FUNCTION, 0)));
  expect(session.counts.imports).toBe(1);
  send(RESENT, null, [0], [1, call(0, 7 as never)]);
  expect(entries.slice(-2)).toEqual([1, [2, ['MALFORMED_FRAME', expect.anything(), 0]]]);
  expect(session.counts.imports).toBe(1);
});

describe('signals that say what no client would', () => {
  test.each([
    ['ids that are none', [RELEASE, 'x', 1]],
    ['a negative id', [RELEASE, -1, 1]],
    ['a fraction', [FORGET, 0.5]],
    ['a call that is given up and has no number', [CANCEL, '0', 'CANCELLED']],
    ['a call that is given up and has an endless text', [CANCEL, endless(), 'CANCELLED']],
    ['a signal that is not known', [-15]],
  ])('%s: the connection is closed', (_name, signal) => {
    const { send, closes } = serve();
    send(1, call(0, 'count'), signal);
    expect(closes).toMatchObject([{ code: 1007 }]);
  });
});

test('signals that give up calls do not each look through all frames that wait', () => {
  const { send, session, entries } = serve();
  send(1, call(0, 'never'), call(0, 'count'));
  for (let id = 50_000; id < 51_000; id++) send(id, call(0, 'count'));
  const began = performance.now();
  send(51_000, ...Array.from({ length: 30_000 }, (_, id) => [CANCEL, id, 'CANCELLED']));
  expect(performance.now() - began).toBeLessThan(3000);
  expect(entries).toEqual([]);
  session.closed();
});

// Of the longer lists V8 would take minutes to make a Map.
test('signals that give up calls whose ids have the same hash do not keep the object busy', () => {
  const { send, session, entries } = serve();
  const ids = withSameHash(60_000);
  send(ids[0], call(0, 'never'), call(0, 'count'));
  const began = performance.now();
  send(1, ...ids.map((id) => [CANCEL, id, 'CANCELLED']));
  expect(performance.now() - began).toBeLessThan(3000);
  expect(entries).toEqual([]);
  session.closed();
});

// Of the signals, each would look through all that the call holds.
test('signals that give up a call again and again count as one', () => {
  const { send, session } = serve();
  send(1, call(0, 'never'));
  const givenUp = vi.fn();
  session.answers.noteArgument(1, { givenUp, ended() {} });
  send(2, ...Array.from({ length: 1000 }, () => [CANCEL, 1, 'CANCELLED']), [CANCEL, 1, 'TIMED_OUT']);
  expect(givenUp.mock.calls).toEqual([[expect.objectContaining({ code: 'TIMED_OUT' })]]);
  session.closed();
});

test('subscriptions that continue are those of operations in the frame', () => {
  const { send, closes } = serve();
  send(RESENT, null, [0], [1, call(0, 'count')], [[2, 5]]);
  expect(closes).toMatchObject([{ code: 1007 }]);
});

test('an error with a `then` is data, and not awaited', () => {
  const { send, entries, api } = serve();
  send(1, call(0, 'error'));
  expect(entries).toEqual([1, [expect.objectContaining({ message: 'data' })]]);
  expect(api.ran).toBe(0);
});

describe('answers to what nobody asked', () => {
  test('are ignored', () => {
    const { send, closes, entries } = serve();
    send(REVERSED, 5, ['an answer'], [0, 'a failure'], [2, ['DENIED', 'no', 0]]);
    send(1, call(0, 'count'));
    expect({ closes, entries }).toEqual({ closes: [], entries: [1, [1]] });
  });

  test.each([
    ['that are no list', [REVERSED, 5, { ok: true }]],
    ['without a code', [REVERSED, 5, [1, 'x']]],
    ['without an id', [REVERSED, 'x', ['y']]],
  ])('%s close the connection', (_name, frame) => {
    const { send, closes } = serve();
    send(...frame);
    expect(closes).toHaveLength(1);
  });
});

describe('parts', () => {
  const bytes = (length: number) => new Uint8Array(length).fill(255);

  test('of more than a message may hold are refused before the last one', () => {
    const { send, closes } = serve({ maxMessageBytes: 10_000 });
    // A message that is sent again may be 64 KiB larger.
    for (let sent = 0; sent < 76; sent++) send(PART, 1_000_000 - sent, bytes(1000));
    expect(closes[0]).toMatchObject({ code: 1009, reason: expect.stringContaining('maxMessageBytes') });
  });

  test('of one byte each make the message', () => {
    const { send, entries } = serve();
    const message = bytesOf(sequence(1, call(0, 'count')));
    for (const [place, byte] of message.entries()) send(PART, message.length - 1 - place, Uint8Array.of(byte));
    expect(entries).toEqual([1, [1]]);
  });

  test.each([
    [
      'another frame between',
      [
        [PART, 1, bytes(9)],
        [1, call(0, 'count')],
      ],
    ],
    [
      'a part of another message',
      [
        [PART, 5, bytes(9)],
        [PART, 3, bytes(9)],
      ],
    ],
    ['a part without bytes', [[PART, 1, 'text']]],
    ['an empty part', [[PART, 1, bytes(0)]]],
    ['a part with more behind its number', [[PART, 1, 0, bytes(9)]]],
    ['a part inside of a message in parts', [[PART, 0, sequence(PART, 0, bytesOf(sequence(1, call(0, 'count'))))]]],
    [
      'a part that does not count down',
      [
        [PART, 1, bytes(9)],
        [PART, 1, bytes(9)],
      ],
    ],
    [
      'parts of garbage',
      [
        [PART, 1, bytes(9)],
        [PART, 0, bytes(9)],
      ],
    ],
  ])('%s closes the connection', (_name, frames) => {
    const { send, closes, api } = serve();
    for (const frame of frames) send(...frame);
    expect([closes.length, api.ran]).toEqual([1, 0]);
  });
});

describe('limits', () => {
  test('a frame cannot make more stubs than maxReferences', () => {
    const { send, session, entries, closes } = serve({ maxReferences: 10 });
    const functions = Array.from({ length: 11 }, (_, id) => new Extended(id % 2 === 0 ? FUNCTION : TARGET, id));
    send(1, call(0, 'count'), call(0, 'echo', functions));
    expect(entries).toEqual([1, [2, ['LIMIT_EXCEEDED', expect.stringContaining('maxReferences'), 1]]]);
    expect([session.counts.imports <= 10, closes]).toEqual([true, []]);
  });

  test('a frame cannot make more signals that are aborted already than maxChannels', () => {
    const { send, entries } = serve({ maxChannels: 10 });
    const aborted = (count: number) =>
      Array.from({ length: count }, () => new Extended(ABORT_SIGNAL, null, 'CANCELLED', 'x'));
    send(1, call(0, 'never', aborted(10)));
    send(2, call(0, 'never', aborted(10)));
    expect(entries).toEqual([]);
    send(3, call(0, 'never', aborted(11)));
    expect(entries).toEqual([3, [2, ['LIMIT_EXCEEDED', expect.stringContaining('maxChannels'), 0]]]);
  });

  test('one event at a time keeps the object awake, however many messages come meanwhile', () => {
    vi.useFakeTimers();
    try {
      const { send, session } = serve();
      send(1, call(0, 'count'));
      expect(session.awake).toBeUndefined();
      send(2, call(0, 'never'));
      expect(session.awake).toBe(session.idle);
      send(3, call(0, 'never'));
      expect(session.awake).toBeUndefined();
      // The platform may not wait for one event for ever.
      vi.advanceTimersByTime(61_000);
      expect(session.awake).toBe(session.idle);
      expect(session.awake).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  test('a client cannot make the object hold more than maxReferences targets', () => {
    const { send, session, entries } = serve({ maxReferences: 3 });
    send(1, ...Array.from({ length: 5 }, () => call(0, 'child')));
    expect(entries.filter((entry) => Array.isArray(entry) && entry.length === 2)).toEqual(
      new Array(2).fill([1, ['LIMIT_EXCEEDED', expect.stringContaining('maxReferences')]]),
    );
    expect(session.counts.exports).toBe(3);
  });

  test('calls count as often as they run, also under one id, and are told when another takes it', async () => {
    const { send, session, api, entries } = serve({ maxCallsInFlight: 3 });
    for (let round = 0; round < 5; round++) send(1, call(0, 'untilAborted'));
    expect(entries.filter(Array.isArray)).toEqual(
      new Array(2).fill([1, ['OVERLOADED', expect.stringContaining('maxCallsInFlight')]]),
    );
    expect(api.aborted).toEqual(['ID_REUSED', 'ID_REUSED']);
    session.closed();
    expect(api.aborted).toEqual(['ID_REUSED', 'ID_REUSED', 'NOT_EXECUTED']);
    await session.idle;
    // What arrives when the connection has ended may have been made again since, over another.
    const before = entries.length;
    send(9, call(0, 'count'));
    expect(entries.length).toBe(before);
  });

  test('steps are kept up to maxHeldResults, the newest', () => {
    const { send, session, entries } = serve({ maxHeldResults: 5 });
    for (let id = 1; id <= 20; id += 2) send(id, call(0, 'child'), call(1, 'ping'), [-1, 0]);
    expect(session.counts.heldResults).toBe(5);
    entries.length = 0;
    send(21, call(stepAddress(1), 'ping'), call(stepAddress(19), 'ping'));
    expect(entries).toEqual([21, [1, ['REFERENCE_LOST', expect.any(String)]], ['pong']]);
  });

  test('everything is let go of when the connection ends', async () => {
    const { send, session, api } = serve();
    send(1, call(0, 'child'), call(0, 'child'), call(1, 'ping'), call(0, 'never'), [-1, 1]);
    expect(session.counts).toMatchObject({ exports: 1, heldResults: 1 });
    session.closed();
    expect(session.counts).toEqual({ callsInFlight: 0, exports: 0, imports: 0, channels: 0, heldResults: 0 });
    await undefined;
    expect(api.disposed).toBe(2);
  });

  test('a target that is the result of several steps is disposed of once, when the last of them is forgotten', async () => {
    const { send, session, api } = serve();
    const steps = [call(0, 'same'), call(0, 'same'), call(0, 'same'), [-1, 0, 1, 2]];
    send(1, ...steps);
    send(4, [FORGET, 1, 2]);
    expect(api.disposed).toBe(0);
    send(4, [FORGET, 3]);
    expect(api.disposed).toBe(1);
    send(4, ...steps);
    session.closed();
    await undefined;
    expect(api.disposed).toBe(2);
  });
});
