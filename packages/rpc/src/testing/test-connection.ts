/// <reference lib="esnext.disposable" preserve="true" />

import { connectOver } from '../client/connect.ts';
import { connection } from '../client/connection.ts';
import type { ConnectOptions } from '../client/options.ts';
import { CLOSE_REFUSED } from '../closes.ts';
import { RpcError } from '../errors.ts';
import { Counted } from '../server/backlog.ts';
import { newCaller } from '../server/callers.ts';
import { requireTarget } from '../server/members.ts';
import { errorOf } from '../server/refusal.ts';
import type { ServeOptions } from '../server/serve.ts';
import { Session } from '../server/session.ts';
import { serverSettings } from '../server/settings.ts';
import { memoryTransport } from '../transport/memory.ts';
import type { OpenTransport } from '../transport/transport.ts';
import type { Caller } from '../types/call-context.ts';
import type { Stub } from '../types/stub.ts';
import { MemoryResults } from './memory-results.ts';
import { TestNetwork } from './test-network.ts';

/** Options for serving a target in memory and for connecting to it. */
export type TestConnectionOptions = ConnectOptions & ServeOptions;

/** Delays between attempts to connect, so short that no test notices them. */
export const QUICK = { minDelayMs: 1, maxDelayMs: 10 };

/** The client, as an object would know it: results of exactly-once methods are stored for one that has a name. */
const CLIENT = { name: 'the client under test', attempt: 1, settled: 0 };

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
    const results = new MemoryResults();
    const settings = serverSettings(options);
    const open: OpenTransport = (events, offer) => {
      try {
        const served = memoryTransport((channel) => {
          const caller = newCaller(options.identity);
          const counted = new Counted(channel, settings.limits.maxBytesInFlight);
          return new Session(settings, this.#targetFor(caller), counted, {
            caller,
            client: CLIENT,
            stored: () => results,
          });
        });
        // It gives a sign of life whenever it is asked, so that the client reconnects after a loss.
        return { ...served(events, offer), probe: () => queueMicrotask(() => events.alive()) };
      } catch (error) {
        // Clients try again when a target cannot be made. In a test nobody mends the mistake meanwhile.
        const { code, message } = error instanceof RpcError ? error : asInternal(error);
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
      requireTarget(target, 'the function given to testConnection() must return');
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

/** Logs an error of the function that makes targets, and returns it with the code for defects. */
function asInternal(error: unknown): RpcError {
  return new RpcError('INTERNAL', errorOf(error, 'target()').message);
}
