import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import {
  AttachedMemory,
  attach,
  attachEnd,
  attachedClient,
  attachTopics,
} from '../../packages/rpc/src/server/connections/attachment.ts';

const { COUNTER } = env as unknown as { COUNTER: DurableObjectNamespace };
const client = { name: 'a'.repeat(32), since: 0, attempt: 1 };

/** Runs with a hibernating socket whose attachment has room for nothing more. */
function withFullSocket(run: (socket: WebSocket) => void): Promise<void> {
  return runInDurableObject(COUNTER.getByName('full'), (_object, ctx) => {
    const [, socket] = Object.values(new WebSocketPair());
    ctx.acceptWebSocket(socket);
    attach(socket, { identity: 'ada', connectionId: 'one' }, client);
    let length = 16_384;
    for (; length > 0; length--) {
      try {
        attachTopics(socket, new Map([['x'.repeat(length), [1]]]));
        break;
      } catch {
        // It is too long by one more.
      }
    }
    expect(length).toBeGreaterThan(10_000);
    run(socket);
    socket.close();
  });
}

test('a client whose socket has no room for more can connect again', async () => {
  await withFullSocket((socket) => {
    attachEnd(socket);
    expect(attachedClient(socket)).toMatchObject({ client, isOver: true, caller: { identity: 'ada' } });
  });
});

test('a socket that has no room for more has lives all the same, none of them twice', async () => {
  await withFullSocket((socket) => {
    const memory = new AttachedMemory(socket);
    const lives = Array.from({ length: 10 }, () => memory.beginLife());
    expect(new Set(lives).size).toBe(10);
    expect(lives.every((life) => Number.isSafeInteger((life + 1) * 2 ** 24))).toBe(true);
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
    const [, socket] = Object.values(new WebSocketPair());
    ctx.acceptWebSocket(socket);
    attach(socket, { identity, connectionId: 'one', expiresAt: 5 }, client);
    expect(attachedClient(socket)?.caller).toStrictEqual({ identity, connectionId: 'one', expiresAt: 5 });
    socket.close();
  });
});

test('an identity for which a socket has no room is refused with its length', async () => {
  await runInDurableObject(COUNTER.getByName('too-large'), (_object, ctx) => {
    const [, socket] = Object.values(new WebSocketPair());
    ctx.acceptWebSocket(socket);
    const caller = { identity: { name: 'a'.repeat(17_000) }, connectionId: 'one' };
    expect(() => attach(socket, caller, client)).toThrow(
      /an identity of 170\d\d characters does not fit into the 16384 bytes/,
    );
    expect(attachedClient(socket)).toBeUndefined();
    socket.close();
  });
});
