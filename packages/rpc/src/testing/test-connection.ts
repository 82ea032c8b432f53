/// <reference lib="esnext.disposable" preserve="true" />
import { connectOver } from '../client/connect.ts';
import { connection } from '../client/connection.ts';
import type { ConnectOptions } from '../client/options.ts';
import type { Stub } from '../client/types.ts';
import { CLOSE_REFUSED } from '../protocol/errors.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import { newCaller } from '../server/access/caller.ts';
import { requireServable } from '../server/access/served-target.ts';
import { encodeResult, fingerprint, type StoredResult, storedOutcome } from '../server/delivery/stored-results.ts';
import type { ServeOptions } from '../server/options.ts';
import { errorOfTarget } from '../server/refusal.ts';
import { createServerContext } from '../server/server-context.ts';
import { ServerSession } from '../server/session.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { DeliveredCall, ResultStore } from '../session/incoming/delivery.ts';
import { memoryTransport } from '../transport/memory.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { TestNetwork } from './test-network.ts';

/** Options for serving a target in memory and for connecting to it. */
export interface TestConnectionOptions extends ConnectOptions, ServeOptions {}

/** Delays between attempts to connect, so short that no test notices them. */
export const QUICK = { minDelayMs: 1, maxDelayMs: 10 };

/**
 * A client and its server in one thread, with a network between them that the test controls. Disposing closes the
 * connection.
 */
export class TestConnection<Api extends object> extends TestNetwork implements Disposable {
  /** The stub that the test calls. */
  readonly stub: Stub<Api>;
  readonly #make: (caller: Caller) => Api;
  #target: Api | undefined;

  constructor(make: (caller: Caller) => Api, options: TestConnectionOptions) {
    super();
    this.#make = make;
    const context = createServerContext(options);
    const results = new MemoryResults();
    const served = probed(
      memoryTransport((channel) => {
        const caller = newCaller(options.identity);
        return new ServerSession(this.#targetFor(caller), channel, context, { caller, results: () => results });
      }),
    );
    const open: OpenTransport = (events, offer) => {
      try {
        return served(events, offer);
      } catch (error) {
        const { code, message } = errorOfTarget(error);
        queueMicrotask(() => events.closed(CLOSE_REFUSED, `${code}: ${message}`));
        return { send: () => {}, close: () => {}, probe: () => {} };
      }
    };
    const { wrapTransport = (inner) => inner } = options;
    this.stub = connectOver<Api>(open, 'a target in memory', {
      reconnect: QUICK,
      ...options,
      wrapTransport: (inner) => this.wrap(wrapTransport(inner)),
    });
  }

  /**
   * The target that serves the connection. Undefined before the first call, and after a restart until the client has
   * connected again.
   */
  get target(): Api | undefined {
    return this.#target;
  }

  /** Loses the connection and the target, as when an object crashes. The next connection has a new target. */
  restart(): void {
    this.#target = undefined;
    this.cut();
  }

  [Symbol.dispose](): void {
    connection(this.stub).close();
  }

  #targetFor(caller: Caller): Api {
    if (this.#target === undefined) {
      const target = this.#make(caller);
      requireServable(target, 'the function given to testConnection() must return');
      this.#target = target;
    }
    return this.#target;
  }
}

/**
 * Connects to a target in the same thread, through the real client, frames and server. The target is created with the
 * first call, and again after `restart()`; it stays when only the connection is lost. A lost connection is made again
 * at once.
 */
export function testConnection<Api extends object>(
  // biome-ignore lint/suspicious/noExplicitAny: identities are the application's own
  makeTarget: (caller: Caller<any>) => Api,
  options: TestConnectionOptions = {},
): TestConnection<Api> {
  return new TestConnection(makeTarget, options);
}

/** Returns a transport that gives a sign of life whenever it is asked, so that the client reconnects after a loss. */
function probed(open: OpenTransport): OpenTransport {
  return (events, offer) => ({ ...open(events, offer), probe: () => queueMicrotask(() => events.alive()) });
}

/**
 * Stores the results of exactly-once methods, as an object does in its SQLite. Unlike there, nothing is rolled back if
 * a method throws.
 */
export class MemoryResults implements ResultStore {
  readonly #stored = new Map<number, StoredResult>();

  run(call: DeliveredCall, method: string, args: unknown[], run: () => unknown): unknown {
    if (call.isMany) return run();
    call.payload ??= fingerprint(method, args);
    const { payload } = call;
    const known = this.find(call.callId, method, args);
    if (known?.ok === false) throw known.error;
    const value = known === undefined ? run() : known.value;
    if (known === undefined) this.#stored.set(call.callId, { payload, result: encodeResult(method, value) });
    call.isStored = true;
    return value;
  }

  find(callId: number, method: string, args: unknown[] | undefined): Outcome | undefined {
    const stored = this.#stored.get(callId);
    return stored && storedOutcome(callId, stored, args && fingerprint(method, args));
  }

  acknowledge(callIds: readonly number[]): void {
    for (const callId of callIds) this.#stored.delete(callId);
  }

  forget(): void {
    this.#stored.clear();
  }
}
