import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { keptAt, readAddress, referenceAddress, stepAddress } from '../../packages/rpc/src/protocol/address.ts';
import { ClientSocket, receiveMessage } from '../../packages/rpc/src/server/connections/attachment.ts';
import { createServerContext } from '../../packages/rpc/src/server/server-context.ts';
import { ServerSession } from '../../packages/rpc/src/server/session.ts';
import type { Caller } from '../../packages/rpc/src/session/incoming/call-context.ts';

const { COUNTER } = env as unknown as { COUNTER: DurableObjectNamespace };
const client = { name: 'a'.repeat(32), since: 0, attempt: 1 };

const nobody = { identity: undefined, connectionId: 'one' };
const context = createServerContext({});

/** What is attached to a socket, read anew. */
const read = (socket: WebSocket) => ClientSocket.read(socket, context);

/** Attaches a caller to a new hibernating socket. */
function attached(ctx: DurableObjectState, caller: Caller): ClientSocket {
  const [, socket] = Object.values(new WebSocketPair());
  ctx.acceptWebSocket(socket);
  const connection = new ClientSocket(socket, context, caller, client);
  connection.attach();
  return connection;
}

/** Runs with a hibernating socket whose attachment has room for nothing more. */
function withFullSocket(run: (connection: ClientSocket) => void): Promise<void> {
  return runInDurableObject(COUNTER.getByName('full'), (_object, ctx) => {
    const connection = attached(ctx, { identity: 'ada', connectionId: 'one' });
    let length = 16_384;
    for (; length > 0; length--) {
      try {
        connection.note(new Map([['x'.repeat(length), [1]]]));
        break;
      } catch {
        // It is too long by one more.
      }
    }
    expect(length).toBeGreaterThan(10_000);
    run(connection);
    connection.socket.close();
  });
}

test('a client whose socket has no room for more can connect again', async () => {
  await withFullSocket((connection) => {
    connection.markEnded();
    expect(read(connection.socket)).toMatchObject({ client, isOver: true, caller: { identity: 'ada' } });
  });
});

test('a client with the largest identity for which a socket has room can be disconnected', async () => {
  await runInDurableObject(COUNTER.getByName('largest'), (_object, ctx) => {
    const largest = () => {
      for (let length = 16_384; ; length--) {
        try {
          return attached(ctx, { identity: 'x'.repeat(length), connectionId: 'one' });
        } catch {
          // It is too long by one more.
        }
      }
    };
    const connection = largest();
    connection.close(4002, 'the end');
    connection.markEnded(true);
    expect([connection.socket.readyState, connection.isOver, connection.isEndReported]).toEqual([2, true, true]);
  });
});

test('a heartbeat that arrives after the end of its connection is not answered', () => {
  const [theirs, ours] = Object.values(new WebSocketPair());
  theirs.accept();
  ours.accept();
  const session = new ServerSession(undefined, new ClientSocket(ours, context, nobody), context);
  receiveMessage(session, 'noise');
  expect(session.isOver).toBe(true);
  expect(() => receiveMessage(session, 'ping')).not.toThrow();
});

test('a socket that has no room for more has lives all the same, none of them twice', async () => {
  await withFullSocket(({ socket }) => {
    const lives = Array.from({ length: 10 }, () => read(socket)!.beginLife());
    expect(new Set(lives).size).toBe(10);
    for (const life of lives) {
      const id = life * 2 ** 24 + 1;
      const addresses = [referenceAddress(id), stepAddress(id)];
      expect(addresses.map((address) => keptAt(readAddress(address, 0))?.id)).toEqual([id, id]);
    }
  });
});

test.each([
  ['text', 'ada'],
  ['data', { name: 'ada', roles: ['admin', undefined], since: Number.NaN, id: 2n ** 64n }],
  ['data without a prototype', Object.assign(Object.create(null), { name: 'ada' })],
  ['what only the codec carries', { home: new URL('https://ada.test/'), seen: new Map([['at', new Date(0)]]) }],
  ['an error with properties of its own', Object.assign(new RangeError('ada'), { code: 'E_ADA' })],
  ['what is nested deeply', Array.from({ length: 20 }).reduce((inner: unknown) => ({ inner }), 'ada')],
])('the identity of a socket is the same when it is read again: %s', async (_what, identity) => {
  await runInDurableObject(COUNTER.getByName('identities'), (_object, ctx) => {
    const { socket } = attached(ctx, { identity, connectionId: 'one', expiresAt: 5 });
    expect(read(socket)?.caller).toStrictEqual({ identity, connectionId: 'one', expiresAt: 5 });
    socket.close();
  });
});

test('an identity for which a socket has no room is refused with its length', async () => {
  await runInDurableObject(COUNTER.getByName('too-large'), (_object, ctx) => {
    const [, socket] = Object.values(new WebSocketPair());
    ctx.acceptWebSocket(socket);
    const caller = { identity: { name: 'a'.repeat(17_000) }, connectionId: 'one' };
    expect(() => new ClientSocket(socket, context, caller, client).attach()).toThrow(
      /an identity of 170\d\d characters does not fit into the 16384 bytes/,
    );
    expect(read(socket)).toBeUndefined();
    socket.close();
  });
});
