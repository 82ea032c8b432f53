// What the library takes from the Workers runtime. Bundlers for Workers choose this file by the condition `workerd`.
import * as workers from 'cloudflare:workers';
import { Turns } from '../incoming/turns.ts';

/** The base of stubs: the platform passes by reference, in its own RPC, what extends this or is a function. */
export { RpcTarget, RpcTarget as StubBase } from 'cloudflare:workers';

/**
 * Makes what the platform passes on in place of a stub, for which it asks by `dup`: it disposes of that when the other side has
 * let go of it, and the stub itself stays what it is.
 */
export function lend(stub: object): object {
  return new Proxy(stub, { get: (lent, key) => (key === Symbol.dispose ? undefined : Reflect.get(lent, key)) });
}

/** Garbage collection calls outside of all requests, where nothing can be sent: what it finds has to wait for what is sent next. */
export const SENDS_AT_ANY_TIME: boolean = false;

/** Bytes that a stream of bytes allocates for each read. This runtime always does, and cuts chunks to it: to 4096 unless it is told otherwise. */
export const READ_BYTES: number | undefined = 65_536;

/** Has calls that a client answers take turns: in a Durable Object the input gate holds back what comes in an event of its own. */
export function createTurns(host: { flush(): void }): Turns {
  return new Turns(host);
}

/** Those that the runtime has but its types do not name are looked up. */
const CLASSES = ['RpcStub', 'RpcPromise', 'RpcProperty', 'ServiceStub']
  .map((name) => (workers as unknown as Record<string, (abstract new () => object) | undefined>)[name])
  .filter((type) => type !== undefined);

/**
 * Returns true for a stub of the platform's own RPC, or a binding: a service, or a Durable Object's stub; or what passes for a target
 * there and is a function, as stubs of Cap'n Web do.
 */
export function isNativeStub(value: unknown): boolean {
  return (
    CLASSES.some((type) => value instanceof type) || (typeof value === 'function' && value instanceof workers.RpcTarget)
  );
}
