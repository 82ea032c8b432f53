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
