import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { decode, encode } from '@lumenize/structured-clone';
import { connection } from '../../client/connection.ts';

/** An opened value: reading and calling go on inside the object, `await` brings the value out. */
export type Opened<T> = PromiseLike<Awaited<T>> &
  // biome-ignore lint/suspicious/noExplicitAny: of what has no type, anything can be tried
  (0 extends 1 & T ? any : OpenedMembers<Awaited<T>>);

type OpenedMembers<T> = T extends (...args: infer Args) => infer Result
  ? (...args: Args) => Opened<Result>
  : T extends object
    ? { readonly [Key in keyof T]: Opened<T[Key]> }
    : unknown;

/** The value that a chain leads to inside the object, the receiver of a method, and the chain as text. */
type Reached = { readonly value: unknown; readonly receiver?: unknown; readonly path: string };

/**
 * Opens all of an object to the test: `ctx`, `env`, methods that are not remote, and members that TypeScript calls private, such as
 * `await openObject(stub).ctx.storage.kv.get('count')`. Each `await` runs its whole chain inside the object, and brings out a copy of what it leads to.
 * Members that are `#private` in JavaScript stay closed. It is done by the test's own runtime, and by nothing that a request could ask for.
 */
// biome-ignore lint/suspicious/noExplicitAny: without a shape anything can be tried, as private state has no type outside
export function openObject(object: DurableObjectStub): any;
export function openObject<Shape extends object>(object: DurableObjectStub): Opened<Shape>;
export function openObject(object: DurableObjectStub): unknown {
  // Nothing is done with an object that nobody has asked anything of, so that a test can pass it on.
  return opened(object, async (instance) => ({ value: instance, path: 'object' }), undefined);
}

/** Opens what a chain leads to. `then` takes the chain inside the object, and brings out a copy of what it has led to. */
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

/** Goes through a chain inside the object, and returns a copy of what it leads to. */
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
 * Makes an object hibernate: its memory is gone, its storage and hibernating sockets stay, and the next frame wakes it. Waits for running
 * calls.
 * @throws where the object is not in memory
 */
export async function hibernate(object: DurableObjectStub): Promise<void> {
  await evictDurableObject(object, { webSockets: 'hibernate' });
}

/**
 * Makes an object leave memory and lose its sockets, as when a new version of the Worker is deployed. Waits for running calls, and then
 * until the given clients, as stubs, have connected again.
 * @throws where the object is not in memory
 */
export async function restart(object: DurableObjectStub, ...clients: object[]): Promise<void> {
  const connected = reconnected(clients);
  await evictDurableObject(object, { webSockets: 'close' });
  await connected;
}

/**
 * Makes an object end at once, as by an error of the platform: running calls are lost with its memory and its sockets. The given stub of
 * the platform is broken from then on, as always when an object has failed. Waits for clients as `restart` does.
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
