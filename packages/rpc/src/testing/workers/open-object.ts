import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { decode, encode } from '@lumenize/structured-clone';
import { connection } from '../../client/connection.ts';

/** A value inside of an object. Reads and calls continue inside of the object; `await` returns a copy of the value. */
export type Opened<T> = PromiseLike<Awaited<T>> &
  // biome-ignore lint/suspicious/noExplicitAny: of what has no type, anything can be tried
  (0 extends 1 & T ? any : OpenedMembers<Awaited<T>>);

type OpenedMembers<T> = T extends (...args: infer Args) => infer Result
  ? (...args: Args) => Opened<Result>
  : T extends object
    ? { readonly [Key in keyof T]: Opened<T[Key]> }
    : unknown;

/** The value that a chain leads to inside of the object, the receiver of a method, and the chain as text. */
type Reached = { readonly value: unknown; readonly receiver?: unknown; readonly path: string };

/**
 * Opens an object to a test: `ctx`, `env`, methods that are not remote, and members that are `private` in TypeScript,
 * as in `await openObject(stub).ctx.storage.kv.get('count')`. Each `await` runs the whole chain inside of the object,
 * and returns a copy of its result. Members that are `#private` in JavaScript stay closed. The test's own runtime does
 * this, and no request could ask for it.
 */
// biome-ignore lint/suspicious/noExplicitAny: without a shape anything can be tried, as private state has no type outside
export function openObject(object: DurableObjectStub): any;
export function openObject<Shape extends object>(object: DurableObjectStub): Opened<Shape>;
export function openObject(object: DurableObjectStub): unknown {
  // The opened object itself has no `then`, so that a test can pass it on, also through promises.
  return opened(object, async (instance) => ({ value: instance, path: 'object' }), undefined);
}

/**
 * Opens the value at the end of a chain. `then` runs the chain inside of the object, and returns a copy of its result.
 */
function opened(object: DurableObjectStub, reach: (instance: object) => Promise<Reached>, then: unknown): unknown {
  const next = (take: (reached: Reached) => Reached | Promise<Reached>) => {
    const further = async (instance: object) => take(await reach(instance));
    return opened(object, further, (...listeners: [() => unknown]) => bringOut(object, further).then(...listeners));
  };
  return new Proxy(() => {}, {
    get(_target, name) {
      if (typeof name === 'symbol') return undefined;
      if (name === 'then') return then;
      return next(async ({ value, path }) => {
        const receiver = await value;
        if (receiver === undefined || receiver === null) throw new TypeError(`${path} is ${receiver}`);
        return { value: (receiver as Record<string, unknown>)[name], receiver, path: `${path}.${name}` };
      });
    },
    apply: (_target, _this, args) =>
      next(({ value, receiver, path }) => {
        if (typeof value !== 'function') throw new TypeError(`${path} is no function that can be called`);
        return { value: Reflect.apply(value, receiver, args), path: `${path}()` };
      }),
  });
}

/** Runs a chain inside of the object, and returns a copy of its result. */
async function bringOut(object: DurableObjectStub, reach: (instance: object) => Promise<Reached>): Promise<unknown> {
  const encoded = await runInDurableObject(object, async (instance: DurableObject) => {
    const { value, path } = await reach(instance);
    const result = await value;
    try {
      return encode(result);
    } catch (cause) {
      throw new TypeError(`${path} stays in the object: ask for a value in it, or call a method`, { cause });
    }
  });
  return decode(encoded);
}

/**
 * Makes an object hibernate. Its memory is lost, its storage and its hibernating sockets stay, and the next frame wakes
 * it. Waits for running calls. An object that is not in memory stays as it is.
 */
export async function hibernate(object: DurableObjectStub): Promise<void> {
  await evictDurableObject(object, { webSockets: 'hibernate' }).catch(requireAsleep);
}

/** Throws an error of an eviction again, unless the object was not in memory. The platform has no code for this. */
function requireAsleep(error: unknown): void {
  if (!/not currently running/.test(String(error))) throw error;
}

/**
 * Makes an object leave memory and lose its sockets, as when a new version of the Worker is deployed. Waits for running
 * calls, and then until the given clients, passed as stubs, have connected again.
 */
export async function restart(object: DurableObjectStub, ...clients: object[]): Promise<void> {
  const connected = reconnected(clients);
  // The sockets of an object that hibernates can only be closed while it is in memory.
  await runInDurableObject(object, () => {});
  await evictDurableObject(object, { webSockets: 'close' });
  await connected;
}

/**
 * Ends an object at once, as an error of the platform would. Running calls are lost with the object's memory and
 * sockets, and the given stub of the platform stays broken, as always when an object has failed. Waits for clients as
 * `restart` does, or until they have closed, as one does that was given a stub in place of a function.
 * @throws if the given stub of the platform is broken already, so that nothing has crashed
 */
export async function crash(object: DurableObjectStub, ...clients: object[]): Promise<void> {
  const connected = reconnected(clients);
  let hasRun = false;
  const run = runInDurableObject(object, (_object: DurableObject, ctx) => {
    hasRun = true;
    ctx.abort('crashed by the test');
  });
  // It rejects, because it is the request in which the object ended.
  const error: unknown = await run.catch((error: unknown) => error);
  if (!hasRun) throw new Error('crash() needs a stub whose object has not crashed: pass a new one', { cause: error });
  await connected;
}

/** Resolves when all clients that are connected now have lost their connections, and have reconnected or given up. */
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
