import { type Message, RpcTarget } from '@lumenize/rpc';
import { callContext } from '@lumenize/rpc/server';
import { expect, test, vi } from 'vitest';
import { CREDIT } from '../src/protocol/channel.ts';
import { CHANNELS, TOKEN_CALL_ID } from '../src/protocol/tags.ts';
import { writeToken } from '../src/protocol/token.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { sequence, valuesOf } from './support/frames.ts';

const KB = 1024;

class Api extends RpcTarget {
  ran = 0;
  pulled = 0;
  large(kilobytes: number): Uint8Array {
    this.ran++;
    return new Uint8Array(kilobytes * KB);
  }
  who(): unknown {
    return callContext().caller?.identity;
  }
  async *endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      this.pulled++;
      yield new Uint8Array(16 * KB);
    }
  }
}

/** A session of a client that says itself what it has read, and for which 1 MiB may wait. */
function serve() {
  const api = new Api();
  const asked: string[] = [];
  const closed: { code: number; reason: string }[] = [];
  let bytes = 0;
  const transport = {
    send: (frame: Message) => {
      bytes += frame.length;
    },
    ask: (name: string) => void asked.push(name),
    close: (code: number, reason: string) => void closed.push({ code, reason }),
  };
  const session = new ServerSession(api, transport, createServerContext({ limits: { maxBytesInFlight: KB * KB } }));
  const send = (...values: unknown[]) => session.receive(sequence(...values));
  let id = 1;
  const call = (kilobytes: number) => send(id++, [0, 'large', [kilobytes]]);
  return { api, session, asked, closed, send, call, sent: () => bytes };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve));
};

test('a client that reads little is not asked whether it does', () => {
  const { call, asked } = serve();
  call(128 - 1);
  expect(asked).toEqual([]);
  call(1);
  expect(asked).toHaveLength(1);
});

test('nothing more runs for a client that does not read, before it has', async () => {
  const { api, session, asked, call } = serve();
  for (let n = 0; n < 10; n++) call(100);
  expect([api.ran, asked.length]).toEqual([6, 1]);
  expect(session.idle).toBeDefined();
  // Not by guessing, nor by what it was asked before.
  session.receiveText('pong ');
  session.receiveText(`pong ${'x'.repeat(32)}`);
  expect(api.ran).toBe(6);
  // It has read what was sent before it was asked, the first two.
  session.receiveText(`pong ${asked[0]}`);
  session.receiveText(`pong ${asked[0]}`);
  await turns(5);
  expect([api.ran, asked.length]).toEqual([8, 2]);
  session.receiveText(`pong ${asked[1]}`);
  await turns(5);
  expect(api.ran).toBe(10);
  session.receiveText(`pong ${asked[2]}`);
  await session.idle;
  expect(session.waiting.bytes).toBe(0);
});

test('the connection ends of a client that is sent twice as much as may wait, and of one that goes on calling', () => {
  const one = serve();
  one.send(1, ...Array.from({ length: 30 }, () => [0, 'large', [100]]));
  expect(one.closed).toEqual([{ code: 1013, reason: 'OVERLOADED: the client does not read what it is sent' }]);
  const other = serve();
  for (let n = 0; n < 3000; n++) other.call(100);
  expect(other.closed).toEqual([{ code: 1013, reason: expect.stringContaining('maxBytesInFlight of 1048576') }]);
  expect(other.api.ran).toBe(6);
});

test('the connection ends of a client that has read nothing for five minutes, and keeps nothing awake', async () => {
  vi.useFakeTimers();
  try {
    const { session, asked, closed, call } = serve();
    for (let n = 0; n < 10; n++) call(100);
    await vi.advanceTimersByTimeAsync(299_000);
    session.receiveText(`pong ${asked[0]}`);
    await vi.advanceTimersByTimeAsync(299_000);
    expect([session.idle, closed]).toEqual([expect.any(Promise), []]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(closed).toEqual([{ code: 1013, reason: 'OVERLOADED: the client does not read what it is sent' }]);
    // Events are still published to it until it has answered the close.
    for (let n = 0; n < 10; n++) session.backlog.sent('x'.repeat(100 * KB));
    expect([session.idle, session.backlog.take(), vi.getTimerCount()]).toEqual([undefined, [], 0]);
  } finally {
    vi.useRealTimers();
  }
});

test('a stream waits while its reader takes credit and does not read', async () => {
  const { api, session, asked, send, sent } = serve();
  send(1, [0, 'endless', []]);
  send(CHANNELS, [-1, CREDIT, 100_000_000]);
  await turns(100);
  expect(sent()).toBeLessThan(KB * KB);
  const { pulled } = api;
  session.receiveText(`pong ${asked.at(-1)!}`);
  await turns(10);
  expect(api.pulled).toBeGreaterThan(pulled);
  session.closed();
  await session.idle;
  expect(session.drained).toBeUndefined();
});

test('a new token goes before calls that waited for so long that the identity has expired', async () => {
  const asked: string[] = [];
  const entries: unknown[] = [];
  const transport = {
    send: (frame: Message) => void entries.push(...valuesOf(frame)),
    ask: (name: string) => void asked.push(name),
    close: () => {},
  };
  const context = createServerContext({
    limits: { maxBytesInFlight: KB * KB },
    reauthenticate: (token) => Promise.resolve(token),
  });
  const expiresAt = Date.now() + 20;
  const caller = { identity: 'ada', connectionId: 'x', expiresAt };
  const session = new ServerSession(new Api(), transport, context, { caller });
  session.receive(sequence(1, [0, 'large', [600]]));
  for (const id of [2, 3]) session.receive(sequence(id, [0, 'who', []]));
  session.receive(writeToken('eve'));
  session.receive(sequence(4, [0, 'who', []]));
  while (Date.now() < expiresAt) await turns(1);
  const before = entries.length;
  session.receiveText(`pong ${asked[0]}`);
  await turns(10);
  const told = [0, [2, ['EXPIRED', expect.any(String), -1, { from: 2 }]]];
  expect(entries.slice(before)).toEqual([...told, TOKEN_CALL_ID, [], 2, ['eve'], 3, ['eve'], 4, ['eve']]);
  expect([session.idle, session.waiting.bytes]).toEqual([undefined, 0]);
});
