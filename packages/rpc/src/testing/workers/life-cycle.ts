import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { connection } from '../../client/connection.ts';

/**
 * Has an object leave memory as it does where nobody talks: what it holds in memory is gone, its storage and its hibernating sockets
 * are there, and the next frame wakes it. It waits for calls that run.
 * @throws where the object is not in memory
 */
export async function hibernate(object: DurableObjectStub): Promise<void> {
  await evictDurableObject(object, { webSockets: 'hibernate' });
}

/**
 * Has an object leave memory and lose its sockets, as where a new version of the Worker is deployed. It waits for calls that run, and
 * then until those of its clients that are given as stubs have connected again.
 * @throws where the object is not in memory
 */
export async function restart(object: DurableObjectStub, ...clients: object[]): Promise<void> {
  const connected = reconnected(clients);
  await evictDurableObject(object, { webSockets: 'close' });
  await connected;
}

/**
 * Has an object end at once, as by an error of the platform: calls that run are lost with its memory and its sockets. The platform's stub that is given is broken
 * from then on, as always where an object has failed. It waits for clients as `restart` does.
 */
export async function crash(object: DurableObjectStub, ...clients: object[]): Promise<void> {
  const connected = reconnected(clients);
  const run = runInDurableObject(object, (_object: DurableObject, ctx) => ctx.abort('crashed by the test'));
  // It rejects because it is the request in which the object ended.
  await run.catch(() => {});
  await connected;
}

/** Resolves when clients that are connected now have lost their connections, and have another or will not. */
async function reconnected(clients: readonly object[]): Promise<void> {
  const open = clients.map(connection).filter(({ state }) => state === 'open');
  await Promise.all(
    open.map(
      ({ onStateChange }) =>
        new Promise<void>((resolve) => {
          const stop = onStateChange((state) => {
            if (state === 'reconnecting') return;
            stop();
            resolve();
          });
        }),
    ),
  );
}
