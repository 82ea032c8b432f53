import type { RpcError } from '../errors/rpc-error.ts';
import type { SharedLoad } from '../session/incoming/admission.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { Observer } from '../session/observe/observer.ts';
import type { SessionSettings } from '../session/settings.ts';
import type { RateGates } from './limits/rates.ts';
import type { OnError, Refusals } from './report.ts';

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
  readonly rates: RateGates;
  readonly load: SharedLoad;
  readonly refusals: Refusals;
}

/** The server, as another protocol uses it, so that the same rules hold for its callers. */
export interface ProtocolHost {
  /** Limits, rates and who is told of what, which it shares with the library's own sessions. */
  readonly context: SharedContext;
  readonly errorStacks: boolean;
  /** Returns the caller who makes the request, as the Worker has found out. */
  callerOf(request: Request): Caller;
  /** Makes what the caller talks to. @throws {RpcError} which says what the caller may know */
  target(caller: Caller): unknown;
  /** Why there may be no further connection; undefined where there may. */
  full(caller: Caller): RpcError | undefined;
  /** Counts a connection that has been opened, and that `close` ends; what it returns is to be called once, when it has ended. */
  began(caller: Caller, close: () => void): () => void;
}

/** Asks other protocols, one after the other, to answer a request; undefined where it is in none of them. */
export function askOthers(
  protocols: readonly OtherProtocol[] | undefined,
  request: Request,
  host: ProtocolHost,
): Response | Promise<Response> | undefined {
  for (const protocol of protocols ?? []) {
    const answer = protocol.fetch(request, host);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
