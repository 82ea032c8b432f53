import type { DecodeOptions } from '@lumenize/structured-clone';
import type { CallContext, Caller } from '../session/incoming/call-context.ts';
import type { RpcLimits } from '../session/limits.ts';
import type { Expiring } from './access/expiring.ts';
import type { StoredResultsOptions } from './delivery/stored-results.ts';
import type { RateLimits } from './limits/rate-limit.ts';
import type { OnRefused } from './limits/refusals.ts';

/** How a target is served where there is no object, or not to many. */
export interface ServeOptions extends Omit<RpcServerOptions, 'hibernate' | 'storedResults'> {
  /** Who is calling, for guards and the target's methods: `callContext().caller.identity`. It may be `expiring()`. @default undefined */
  identity?: unknown;
}

/**
 * Says who a caller is who shows a new token over an open connection: as `authenticate` of `routeRpc` does, and given who it was. What
 * it returns is who the caller is from then on, whoever that was before; undefined refuses, and so does whatever it throws.
 */
export type Reauthenticate<Identity = unknown> = (
  token: string,
  caller: Caller<Identity>,
) => Identity | Expiring<Identity> | undefined | Promise<Identity | Expiring<Identity> | undefined>;

/** How an object serves its targets. */
export interface RpcServerOptions {
  /** Accept sockets with the Hibernation API, so that the object can leave memory while they stay open. @default true */
  hibernate?: boolean;
  limits?: Partial<RpcLimits>;
  /** How long, and how many, results of exactly-once methods are kept. */
  storedResults?: StoredResultsOptions;
  /** How many operations clients may ask for in a time. @default 100000 a second for each connection, 200000 at once */
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
  /** Told of what methods threw, as they threw it, and of results that could not be sent: with the name of the method and its call. */
  onError?: (error: unknown, method: string, call: CallContext | undefined) => void;
  /**
   * Told of what was refused: a call of the method that is named, a frame of calls, or a connection. By a limit, a guard, a
   * schema, or because there is nothing of that name.
   */
  onRefused?: OnRefused;
}
