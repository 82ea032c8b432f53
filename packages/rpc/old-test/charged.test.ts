import { RpcTarget } from '@lumenize/rpc';
import { expect, test } from 'vitest';
import { CANCEL, STEPS } from '../src/protocol/signal.ts';
import { RESENT, RESULT } from '../src/protocol/tags.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { Extended, sequence } from './support/frames.ts';
import { recordedTransport } from './support/recorded-transport.ts';

class Api extends RpcTarget {
  reads = 0;

  get value(): number {
    return ++this.reads;
  }

  self(): Api {
    return this;
  }

  take(values: unknown[]): number {
    return values.length;
  }
}

function serve(burst: number) {
  const api = new Api();
  const { entries, transport } = recordedTransport();
  const context = createServerContext({ rateLimits: { connection: { operationsPerSecond: 0.001, burst } } });
  return { api, entries, session: new ServerSession(api, transport, context) };
}

/** Calls a method with so many references to a getter of another's result. */
const reading = (firstId: number, count: number) =>
  sequence(
    firstId,
    [0, 'self', []],
    [0, 'take', [Array.from({ length: count }, () => new Extended(RESULT, 1, 'value'))]],
    [STEPS, 0],
  );

const RATE_LIMITED = [2, expect.arrayContaining(['RATE_LIMITED'])];

test('references to properties of results count as operations, since they run getters', () => {
  const { api, session, entries } = serve(20);
  session.receive(reading(1, 10));
  expect(entries).toEqual([2, [10]]);
  session.receive(reading(3, 10));
  expect(entries.slice(2)).toEqual([3, RATE_LIMITED]);
  expect(api.reads).toBe(10);
});

test('no more of them are in a frame than operations', () => {
  const { api, session, entries } = serve(100_000);
  session.receive(reading(1, 10_001));
  expect(entries).toEqual([1, [2, ['LIMIT_EXCEEDED', expect.stringContaining('maxOperationsPerFrame'), 1]]]);
  expect(api.reads).toBe(0);
});

test('signals count, too, also in frames of nothing else', () => {
  const { session, entries } = serve(20);
  session.receive(sequence(1, ...Array.from({ length: 190 }, (_, id) => [CANCEL, id, 'CANCELLED'])));
  session.receive(sequence(1, [0, 'self', []]));
  session.receive(sequence(2, [0, 'self', []]));
  expect(entries.slice(-2)).toEqual([2, RATE_LIMITED]);
});

test.each([
  ['', (...entries: unknown[]) => sequence(...entries)],
  [', also where it is sent again', (...entries: unknown[]) => sequence(RESENT, null, [0], entries)],
])('operations in front of one that is refused count, because they were read%s', (_when, write) => {
  const { session, entries } = serve(20);
  const send = (firstId: number) =>
    session.receive(write(firstId, ...Array.from({ length: 15 }, () => [0, 'self', []]), [0, 7, []]));
  send(1);
  expect(entries).toEqual([1, [2, ['MALFORMED_FRAME', expect.anything(), 15]]]);
  send(17);
  session.receive(sequence(33, ...Array.from({ length: 5 }, () => [0, 'take', [[]]])));
  expect(entries.slice(-2)).toEqual([33, RATE_LIMITED]);
});
