import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { upgrade } from './self-transport.ts';

const { COUNTER, COUNTER_ACCEPT, HEARTBEAT } = env as unknown as Record<string, DurableObjectNamespace>;

/** Sends a text and returns what comes back: a message, or the code of a close. */
async function ask(path: string, text: string): Promise<unknown> {
  const socket = await upgrade(path);
  socket.accept();
  return asked(socket, text);
}

function asked(socket: WebSocket, text: string): Promise<unknown> {
  return new Promise((resolve) => {
    socket.addEventListener('message', ({ data }) => resolve(data), { once: true });
    socket.addEventListener('close', ({ code }) => resolve(code), { once: true });
    socket.send(text);
  });
}

/** How often the object has been made. */
function lives(name: string): Promise<number> {
  return runInDurableObject(HEARTBEAT.getByName(name), (object) => (object as unknown as { lives: number }).lives);
}

describe('a heartbeat', () => {
  test.each(['counter', 'counter-accept', 'own-heartbeat'])('is answered by %s', async (binding) => {
    expect(await ask(`/rpc/${binding}/alive`, 'ping')).toBe('pong');
  });

  test('is answered by a Worker without an object', async () => {
    expect(await ask('/plain', 'ping')).toBe('pong');
  });

  test('does not wake an object that hibernates', async () => {
    const socket = await upgrade('/rpc/heartbeat/asleep');
    socket.accept();
    expect(await lives('asleep')).toBe(1);
    await evictDurableObject(HEARTBEAT.getByName('asleep'));
    for (let round = 0; round < 3; round++) expect(await asked(socket, 'ping')).toBe('pong');
    await expect(evictDurableObject(HEARTBEAT.getByName('asleep'))).rejects.toThrow('not currently running');
    // To ask is to wake it.
    expect(await lives('asleep')).toBe(2);
  });

  test.each(['counter', 'counter-accept', 'own-heartbeat'])(
    'of another text closes a socket of %s',
    async (binding) => {
      for (const text of ['pin', 'ping ', 'PING', 'pong', '']) {
        expect(await ask(`/rpc/${binding}/alive`, text)).toBe(1007);
      }
    },
  );

  test('leaves the pair of a class that has one of its own', async () => {
    expect(await ask('/rpc/own-heartbeat/kept', 'how are you')).toBe('fine');
    expect(await ask('/rpc/own-heartbeat/kept', 'ping')).toBe('pong');
  });

  test.each([
    [COUNTER, 'counter', 'ping'],
    [COUNTER_ACCEPT, 'counter-accept', undefined],
  ])('is left to the runtime where an object hibernates: %#', async (namespace, binding, request) => {
    await upgrade(`/rpc/${binding}/paired`);
    const pair = await runInDurableObject(namespace.getByName('paired'), (_object, ctx) =>
      ctx.getWebSocketAutoResponse(),
    );
    expect(pair?.request).toBe(request);
  });
});
