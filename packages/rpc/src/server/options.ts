import type { DecodeOptions } from '@lumenize/structured-clone';
import type { RpcError } from '../errors/rpc-error.ts';
import type { Request, Response } from '../protocol/platform-types.ts';
import type { SharedLoad, Waiting } from '../session/admission.ts';
import type { Extension } from '../session/extension.ts';
import type { CallContext, Caller } from '../session/incoming/call-context.ts';
import type { RpcLimits } from '../session/limits.ts';
import type { Observer } from '../session/observe/observer.ts';
import type { SessionSettings } from '../session/settings.ts';
import type { Expiring } from './access/caller.ts';
import type { StoredResultsOptions } from './delivery/stored-results-options.ts';
import type { Gate } from './limits/gate.ts';
import type { RateLimits } from './limits/rates.ts';
import type { OnError, OnRefused, Refusals } from './report.ts';
import type { NotedTopics } from './topics/subscriber.ts';

/** Options for serving a target without a Durable Object, or to one client only. */
export interface ServeOptions extends Omit<RpcServerOptions, 'hibernate' | 'storedResults'> {
  /**
   * Identity of the caller, which guards and the target's methods find as `callContext().caller.identity`. It may be an
   * `expiring()` one.
   * @default undefined
   */
  identity?: unknown;
}

/**
 * Identifies a caller that shows a new token over an open connection, as `authenticate` of `routeRpc` does. It gets the
 * token and the caller so far. The connection belongs to the returned identity from then on, whatever its identity was
 * before; returning undefined, null or false refuses the token, and so does throwing.
 */
export type Reauthenticate<Identity = unknown> = (
  token: string,
  caller: Caller<Identity>,
) => Identity | Expiring<Identity> | undefined | Promise<Identity | Expiring<Identity> | undefined>;

/** Options for an object that serves targets. */
export interface RpcServerOptions {
  /**
   * Accepts sockets with the Hibernation API, so that the object can leave memory while they stay open.
   * @default true
   */
  hibernate?: boolean;
  /** Limits on the requests of a client. Limits that are left out have their defaults. */
  limits?: Partial<RpcLimits>;
  /** Limits on the age, number and size of the stored results of exactly-once methods. */
  storedResults?: StoredResultsOptions;
  /**
   * Limits of the operations that clients may ask for over time.
   * @default 100000 a second for each connection, 200000 at once
   */
  rateLimits?: RateLimits;
  /**
   * Lets callers renew their identity without losing the connection, its references and its streams. Calls that arrive
   * meanwhile wait. The function decides whether a connection accepts a token of another identity.
   * @default none: a caller whose identity has expired connects again
   */
  // biome-ignore lint/suspicious/noExplicitAny: identities are the application's own
  reauthenticate?: Reauthenticate<any>;
  /** Sends the stacks of thrown errors to the caller. @default false, because stacks reveal the server's code */
  errorStacks?: boolean;
  /**
   * Types, and names of registered classes, that are refused in arguments.
   * @default ['RegExp'], because matching a stranger's pattern can take for ever
   */
  refuse?: DecodeOptions['refuse'];
  /**
   * Describes the target to callers that ask for it: the names of its methods and getters, and their options in
   * `static rpc`. Completion in `lumenize-rpc repl` and other tools use it.
   * @default false
   */
  discoverable?: boolean;
  /**
   * Called with each error that a method threw, as it was thrown, and for each result that could not be sent. It gets
   * the name of the method and its call. Also called when published events cannot be stored or sent, with a phrase that
   * names the topic and without a call.
   * @default errors that look like defects are logged with `console.error`: all but `RpcError` and errors of the
   * application's own classes
   */
  onError?: (error: unknown, method: string, call: CallContext | undefined) => void;
  /** Observes each call that this side answers or makes. `observeCalls` of `@lumenize/rpc/observe` returns one. */
  observe?: Observer;
  /**
   * Called when a limit, a guard or a schema refuses something, or when the called method does not exist. It gets the
   * name of the refused method, or a phrase such as `'a frame'` or `'a connection'`.
   */
  onRefused?: OnRefused;
  /** Custom extensions, besides those of the library. @default none */
  use?: readonly Extension[];
  /** Other protocols that the object answers, such as `capnWeb()` of `@lumenize/rpc/capnweb`. @default none */
  protocols?: readonly OtherProtocol[];
}

/** Options of `createRpcServer`, including the target. */
export interface CreateRpcServerOptions<Identity> extends RpcServerOptions {
  /**
   * Returns the target for a caller, an instance of a class that extends `RpcTarget`. It is called for each connection,
   * and again after hibernation.
   */
  target: (caller: Caller<Identity>) => unknown;
  /** Called when a connection has been opened; not for batches over HTTP. */
  onConnect?: ((caller: Caller<Identity>) => void) | undefined;
  /**
   * Called when a connection has ended, including one from before the object hibernated. Connections that end together
   * with the object, as in a crash or a deployment, are not reported; `connections()` no longer has them.
   */
  onDisconnect?: ((caller: Caller<Identity>) => void) | undefined;
}

/** A protocol that an object answers besides this library's own. `capnWeb()` of `@lumenize/rpc/capnweb` makes one. */
export interface OtherProtocol {
  /**
   * Answers a request in this protocol; returns undefined for other requests. It is called after the library's own
   * protocol has declined.
   */
  fetch(request: Request, host: ProtocolHost): Response | Promise<Response> | undefined;
}

/** Context that all sessions of an object share, whatever their protocol. */
export interface SharedContext {
  readonly settings: SessionSettings;
  readonly onError: OnError;
  /** Observes calls; undefined without an observer. */
  readonly observer: Observer | undefined;
  /**
   * Makes the gate that bounds the requests of a client. `endTooFast` ends the connection of a client that continues to
   * call too fast after many refusals.
   */
  openGate(waiting: Waiting, caller: Caller | undefined, endTooFast: (error: RpcError) => void): Gate;
  readonly load: SharedLoad;
  readonly refusals: Refusals;
}

/** A connection that is not a socket of this library. */
export interface OtherConnection {
  readonly caller: Caller;
  readonly topics?: NotedTopics | undefined;
  close(): void;
}

/** The server of an object or a Worker, as a protocol uses it, so that the same rules apply to its callers. */
export interface ProtocolHost {
  /** Limits, rates and hooks, shared with the library's own sessions. */
  readonly context: SharedContext;
  /** Returns the caller of a request, as the Worker has identified it. */
  callerOf(request: Request): Caller;
  /**
   * Makes the target for a caller.
   * @throws {RpcError} with a message for the caller if there is no target
   */
  target(caller: Caller): unknown;
  /** @throws {RpcError} if there may be no further connection */
  requireRoom(caller: Caller): void;
  /** Counts a connection that has been opened. Call the returned function once, when the connection has ended. */
  began(connection: OtherConnection): () => void;
}
