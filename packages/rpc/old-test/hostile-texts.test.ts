import { type Message, RpcTarget } from '@lumenize/rpc';
import { describe, expect, test } from 'vitest';
import { CANCEL, STEPS } from '../src/protocol/signal.ts';
import { CHANNELS, REVERSED } from '../src/protocol/tags.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { sequence } from './support/frames.ts';
import { recordedTransport } from './support/recorded-transport.ts';
import { until } from './support/until.ts';

class Api extends RpcTarget {
  echo(value: unknown): unknown {
    return value;
  }
}

/** Sends a frame to a session of its own, and returns what that answers without waiting for anything. */
function answersTo(frame: Message): unknown[] {
  const { entries, closes, transport } = recordedTransport();
  new ServerSession(new Api(), transport, createServerContext({})).receive(frame);
  return closes.length > 0 ? ['closed', closes[0].code] : entries;
}

describe('a value of a few bytes that would be a text without end', () => {
  /** A list that holds another one twice, and so on: as a text it would have more characters than there are. */
  function endless(): unknown[] {
    let list: unknown[] = ['x'];
    for (let depth = 0; depth < 60; depth++) list = [list, list];
    return list;
  }

  const ANY = expect.any(String);
  const refusal = [1, ['INVALID_ARGUMENTS', ANY]];

  test.each([
    ['joined', [1, 'join', []], refusal],
    ['between what is joined', [1, 'join', [endless()]], refusal],
    ['as a place', [1, 'at', [endless()]], refusal],
    ['as a place to slice at', [1, 'slice', [endless()]], refusal],
    ['as a place to search from', [1, 'indexOf', [5, endless()]], refusal],
  ])('is not made one where it is %s', (_how, operation, expected) => {
    expect(answersTo(sequence(1, [0, 'echo', [endless()]], operation, [STEPS, 0]))).toEqual([2, expected]);
  });

  test.each([
    ['the reason of a cancellation', sequence(1, [CANCEL, 1, endless()])],
    ['what a channel is told', sequence(CHANNELS, [0, endless()])],
    ['a code', sequence(REVERSED, 0, [1, [endless(), 'no']])],
    ['a message', sequence(REVERSED, 0, [1, ['DENIED', endless()]])],
  ])('is refused as %s', (_what, frame) => {
    expect(answersTo(frame)).toEqual(['closed', 1007]);
  });
});

describe('values of one frame', () => {
  /** A frame of calls, each with as many errors, which count as four objects, as one call may have. */
  function frame(calls: number): string {
    const call = `{"$":[0,"size",[[${new Array(60_000).fill('{"$Error":[0]}')}]]]}`;
    return `[1,${new Array(calls).fill(call)}]`;
  }

  test('whose objects together count as some more than one may have are read', () => {
    class Sizes extends RpcTarget {
      size(list: unknown[]): number {
        return list.length;
      }
    }
    const { entries, transport } = recordedTransport();
    new ServerSession(new Sizes(), transport, createServerContext({})).receive(frame(3));
    expect(entries).toEqual([1, [60_000], [60_000], [60_000]]);
  });

  test('whose objects together count as many more are refused', () => {
    const refusal = ['LIMIT_EXCEEDED', 'maxObjects of 250000 exceeded by calls of one frame', 3];
    expect(answersTo(frame(6))).toEqual([1, [2, refusal]]);
  });
});

describe('methods of lists', () => {
  const list = Array.from({ length: 100_000 }, (_, n) => n);

  test('that only read are there for who means well', () => {
    const [first, ...rest] = answersTo(
      sequence(
        1,
        [0, 'echo', [['a', null, 2, true]]],
        [1, 'join', ['-']],
        [2, 'indexOf', [2]],
        [3, 'slice', [1, 3]],
        [STEPS, 0],
      ),
    );
    expect([first, rest]).toEqual([2, [['a--2-true'], [2], [[null, 2]]]]);
  });

  test('cannot look at more in a frame than callbacks may do', async () => {
    const searches = Array.from({ length: 2000 }, (_, place) => [place + 1, 'indexOf', [-1]]);
    const entries = answersTo(sequence(1, [0, 'echo', [list]], ...searches, [STEPS, 0]));
    const results = () => entries.filter((entry) => Array.isArray(entry));
    await until(() => results().length === searches.length);
    const answers = results();
    // A thousand operations each, of a million.
    expect(answers.filter((answer) => answer.length === 1)).toHaveLength(1000);
    expect(answers.at(-1)).toEqual([1, ['LIMIT_EXCEEDED', expect.stringContaining('maxMapOperations')]]);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
    'are not %s, which counts for nothing',
    (name) => {
      const limited = { rateLimits: { connection: { operationsPerSecond: 0.001, burst: 10 } } };
      const { entries, transport } = recordedTransport();
      const session = new ServerSession(new Api(), transport, createServerContext(limited));
      session.receive(sequence(1, [0, 'echo', [[1, 2]]], [1, name, []], [STEPS, 0]));
      expect(entries.splice(0)).toEqual([2, [1, ['METHOD_NOT_FOUND', expect.any(String)]]]);
      // What is left of the rate limit holds.
      session.receive(sequence(3, ...Array.from({ length: 9 }, () => [0, 'echo', [1]])));
      expect(entries).toEqual([3, [2, expect.arrayContaining(['RATE_LIMITED'])]]);
    },
  );

  test('cannot make texts out of long separators', () => {
    const answers = answersTo(sequence(1, [0, 'echo', [list]], [1, 'join', ['x'.repeat(1000)]], [STEPS, 0]));
    expect(answers).toEqual([2, [1, ['LIMIT_EXCEEDED', expect.stringContaining('1048576 characters')]]]);
  });
});
