import { type Message, RpcTarget } from '@lumenize/rpc';
import { expect, test } from 'vitest';
import { DATA, END, STOP } from '../src/protocol/channel.ts';
import { BYTES, CHANNELS, ITERABLE, PART, READABLE } from '../src/protocol/tags.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { Extended, sequence, valuesOf } from './support/frames.ts';

class Api extends RpcTarget {
  readonly given: AsyncIterator<unknown>[] = [];
  release: () => void = () => {};
  keep(...streams: AsyncIterable<unknown>[]): void {
    for (const stream of streams) this.given.push(stream[Symbol.asyncIterator]());
  }
  wait(_argument: unknown): Promise<void> {
    return new Promise((resolve) => {
      this.release = resolve;
    });
  }
}

/** A session whose frames are written by hand, in which 100,000 bytes may wait. */
function serve() {
  const api = new Api();
  const sent: unknown[][] = [];
  const closed: string[] = [];
  const transport = {
    send: (frame: Message) => void sent.push(valuesOf(frame)),
    close: (_code: number, reason: string) => void closed.push(reason),
  };
  const session = new ServerSession(api, transport, createServerContext({ limits: { maxBytesInFlight: 100_000 } }));
  const send = (...values: unknown[]) => session.receive(sequence(...values));
  return { api, session, sent, closed, send };
}

const iterable = (id: number) => new Extended(ITERABLE, id);
const bytes = (length: number) => new Uint8Array(length);
const overloaded = [2, ['OVERLOADED', expect.stringContaining('maxBytesInFlight of 100000'), -1]];
const turn = () => new Promise((resolve) => setTimeout(resolve));

test('all chunks of a connection that are not read have one bound, beyond which a stream fails', async () => {
  const { api, session, sent, closed, send } = serve();
  send(1, [0, 'keep', [iterable(0), new Extended(READABLE, 1, BYTES), iterable(2)]]);
  send(CHANNELS, [0, DATA, bytes(50_000)], [1, DATA, bytes(40_000)], [2, DATA, bytes(20_000)]);
  await turn();
  expect(closed).toEqual([]);
  expect(sent.at(-1)).toEqual([CHANNELS, [-3, STOP, ['LIMIT_EXCEEDED', expect.stringContaining('maxBytesInFlight')]]]);
  await expect(api.given[2].next()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  expect(session.waiting.bytes).toBeGreaterThan(90_000);
  expect((await api.given[0].next()).value).toHaveLength(50_000);
  expect((await api.given[1].next()).value).toHaveLength(40_000);
  expect(session.waiting.bytes).toBe(0);
});

test('what waits in a stream when it is left, stopped or let go of waits no more', async () => {
  const { api, session, send } = serve();
  send(1, [0, 'keep', [iterable(0), iterable(1), iterable(2)]]);
  send(CHANNELS, [0, DATA, bytes(20_000)], [1, DATA, bytes(10)], [1, END, bytes(20_000)], [2, DATA, bytes(20_000)]);
  await api.given[0].return?.();
  expect([await api.given[1].next(), await api.given[1].next()]).toMatchObject([{ done: false }, { done: true }]);
  expect(session.waiting.bytes).toBeLessThan(22_000);
  await api.given[2].return?.();
  expect(session.waiting).toMatchObject({ bytes: 0, windows: 0 });
});

test('a call is refused while too much waits, be it arguments of running calls, chunks, or parts of a message', async () => {
  const { api, session, sent, send } = serve();
  send(1, [0, 'keep', [iterable(0)]]);
  send(CHANNELS, [0, DATA, bytes(60_000)]);
  send(2, [0, 'wait', [bytes(60_000)]]);
  expect(sent.at(-1)).toEqual([2, overloaded]);
  await api.given[0].next();
  send(3, [0, 'wait', [bytes(60_000)]]);
  send(4, [0, 'wait', [bytes(60_000)]]);
  expect(sent.at(-1)).toEqual([4, overloaded]);
  api.release();
  await turn();
  expect(session.waiting.bytes).toBe(0);

  const late = sequence(6, [0, 'keep', [bytes(60_000)]]) as Uint8Array;
  send(5, [0, 'wait', [bytes(60_000)]]);
  send(PART, 1, late.subarray(0, 50_000));
  expect(session.waiting.bytes).toBeGreaterThan(110_000);
  send(PART, 0, late.subarray(50_000));
  expect(sent.at(-1)).toEqual([6, overloaded]);
});

test('arguments count by the memory that they take, not by their bytes', () => {
  const { sent, send } = serve();
  send(1, [0, 'wait', [Array.from({ length: 500 }, () => ({}))]]);
  send(2, [0, 'wait', [Array.from({ length: 500 }, () => [])]]);
  expect(sent).toEqual([[2, overloaded]]);
});

test('the windows of all streams together grow to what may wait, and no further', async () => {
  const { api, session, send } = serve();
  send(1, [0, 'keep', Array.from({ length: 5 }, (_, id) => iterable(id))]);
  for (const [id, stream] of api.given.entries()) {
    stream.next().catch(() => {});
    // The first 16 chunks, and that no more may come.
    send(CHANNELS, ...Array.from({ length: 16 }, () => [id, DATA, 1]), [id, 5]);
    for (let read = 0; read < 16; read++) stream.next().catch(() => {});
    send(CHANNELS, [id, 5]);
  }
  expect(session.waiting.windows).toBe(100_000);
  session.closed();
  await turn();
  expect(session.waiting.windows).toBe(0);
});
