import type { DecodeOptions } from '@lumenize/structured-clone';
import type { RpcError } from '../errors/rpc-error.ts';
import type { SharedLoad, Waiting } from '../session/admission.ts';
import type { Extension } from '../session/extension.ts';
import type { CallContext, Caller } from '../session/incoming/call-context.ts';
import type { RpcLimits } from '../session/limits.ts';
import type { Observer } from '../session/observe/observer.ts';
import type { SessionSettings } from '../session/settings.ts';
import type { Expiring } from './access/caller.ts';
import type { Gate } from './limits/gate.ts';
import type { RateLimits } from './limits/rates.ts';
import type { OnError, OnRefused, Refusals } from './report.ts';

/** Options for serving a target without a Durable Object, or to one client only. */
export interface ServeOptions extends Omit<RpcServerOptions, 'hibernate' | 'storedResults'> {
  /** Identity of the caller, for guards and the target's methods: `callContext().caller.identity`. It may be `expiring()`. @default undefined */
  identity?: unknown;
}

/**
 * Identifies a caller that shows a new token over an open connection: as `authenticate` of `routeRpc` does, and given who it was. What
 * it returns is who the caller is from then on, whoever that was before; undefined, null or false refuses, and so does whatever it throws.
 */
export type Reauthenticate<Identity = unknown> = (
  token: string,
  caller: Caller<Identity>,
) => Identity | Expiring<Identity> | undefined | Promise<Identity | Expiring<Identity> | undefined>;

/** Options for an object that serves targets. */
export interface RpcServerOptions {
  /** Accept sockets with the Hibernation API, so that the object can leave memory while they stay open. @default true */
  hibernate?: boolean;
  /** Bounds on what a client may ask for; those that are not given have their defaults. */
  limits?: Partial<RpcLimits>;
  /** Time for which results of exactly-once methods are kept, and their number. */
  storedResults?: StoredResultsOptions;
  /**
   * Limits of the operations that clients may ask for over time.
   * @default 100000 a second for each connection, 200000 at once
   */
  rateLimits?: RateLimits;
  /**
   * Lets callers renew their identity without losing the connection, its references and streams. Calls that come meanwhile
   * wait. The function decides whether a token of somebody else may take over. @default none: who has expired connects again
   */
  // biome-ignore lint/suspicious/noExplicitAny: identities are the application's own
  reauthenticate?: Reauthenticate<any>;
  /** Send the stacks of thrown errors to the caller. @default false: they show the server's code */
  errorStacks?: boolean;
  /** Types, and names of registered classes, that are refused in arguments. @default ['RegExp']: a stranger's pattern can take forever to match */
  refuse?: DecodeOptions['refuse'];
  /**
   * Tell callers who ask what they may call: names of methods and getters, and what `static rpc` says of them. For completion in
   * `lumenize-rpc repl`, and other tools. @default false
   */
  discoverable?: boolean;
  /**
   * Called with what methods threw, as they threw it, and for results that could not be sent: with the name of the method and its call.
   * @default what looks like a defect is logged with `console.error`: not an `RpcError`, nor an error of a class of one's own
   */
  onError?: (error: unknown, method: string, call: CallContext | undefined) => void;
  /** Observes each call that this side answers, or makes: made by `observeCalls` of `@lumenize/rpc/observe`. */
  observe?: Observer;
  /**
   * Called when something was refused: a call of the method that is named, a frame of calls, or a connection. By a limit, a guard, a
   * schema, or because there is nothing of that name.
   */
  onRefused?: OnRefused;
  /** Extensions of one's own, beside those of the library. @default none */
  use?: readonly Extension[];
  /** Other protocols that are answered here, such as `capnWeb()` of `@lumenize/rpc/capnweb`. @default none */
  protocols?: readonly OtherProtocol[];
}

/** Limits for results of exactly-once calls that no client has acknowledged: time, number and size. */
export interface StoredResultsOptions {
  /** In milliseconds. @default 86400000: a day */
  retentionMs?: number;
  /** Beyond it the oldest are dropped; a call whose result may have been rejects with `OUTCOME_UNKNOWN` when it is made again. @default 100000 */
  maxResults?: number;
  /** In bytes, all of them together, encoded. Beyond it the oldest are dropped, too. @default 268435456 */
  maxBytes?: number;
  /** Largest result, encoded, in bytes. A row of SQLite takes 2 MB. @default 1048576 */
  maxResultBytes?: number;
}

/** Another protocol in which an object answers, beside this library's own: `capnWeb()` of `@lumenize/rpc/capnweb` makes one. */
export interface OtherProtocol {
  /** Answers a request that is in the protocol; undefined where it is not. It is asked after the library's own. */
  fetch(request: Request, host: ProtocolHost): Response | Promise<Response> | undefined;
}

/** Shared by all sessions of an object, in whatever protocol. */
export interface SharedContext {
  readonly settings: SessionSettings;
  readonly onError: OnError;
  /** Observes calls; undefined where nothing does. */
  readonly observer: Observer | undefined;
  /** Makes what bounds what a client asks for; `endTooFast` ends its connection where it goes on although it is told that it is too fast. */
  openGate(waiting: Waiting, caller: Caller | undefined, endTooFast: (error: RpcError) => void): Gate;
  readonly load: SharedLoad;
  readonly refusals: Refusals;
}

/** The server, as another protocol uses it, so that the same rules hold for its callers. */
export interface ProtocolHost {
  /** Limits, rates and who is told of what, which it shares with the library's own sessions. */
  readonly context: SharedContext;
  /** Returns the caller who makes the request, as the Worker has found out. */
  callerOf(request: Request): Caller;
  /** Makes what the caller talks to. @throws {RpcError} which says what the caller may know */
  target(caller: Caller): unknown;
  /** Returns why there may be no further connection; undefined where there may. */
  full(caller: Caller): RpcError | undefined;
  /** Counts a connection that has been opened, and that `close` ends; what it returns is to be called once, when it has ended. */
  began(caller: Caller, close: () => void): () => void;
}
