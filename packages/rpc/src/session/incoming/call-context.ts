import { RpcError } from '../../errors/rpc-error.ts';
import { type CallTerms, validTraceparent } from '../../protocol/operation.ts';
import type { AbortSignal } from '../../protocol/platform-types.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Position } from '../../protocol/topic.ts';
import type { Recipes } from '../references/recipes.ts';
import type { DeliveredCall, ResultStore } from './delivery.ts';
import { noteRefused } from './thrown.ts';

/** The context of the call that a method answers. */
export interface CallContext<Identity = unknown> {
  /** The caller that `target` was called with. Undefined if the connection has no caller, as in a page's callback. */
  readonly caller: Caller<Identity> | undefined;
  /** The number of the call, which the peer gave it. It is unique for as long as the client lives. */
  readonly callId: number;
  /** Aborted when the caller cancels the call, when its time is up, and when its connection is lost. */
  readonly signal: AbortSignal;
  /**
   * The time at which the caller stops waiting, in milliseconds since 1970 by this side's clock. Undefined if the
   * caller waits forever.
   */
  readonly deadline: number | undefined;
  /** The caller's W3C `traceparent`; undefined if there is none, or if it is not valid. */
  readonly traceparent: string | undefined;
  /** Counts of the objects that this side of the connection holds now, without the call itself. */
  readonly counts: SessionCounts;
}

/** Counts of the objects that a session holds now. All are zero when nothing is going on and nothing is held. */
export interface SessionCounts {
  /** The calls that this side has made and that have not settled. */
  callsInFlight: number;
  /** The targets and functions of this side that the peer holds. */
  exports: number;
  /** The targets and functions of the peer that this side holds. */
  imports: number;
  /** The streams and other channels that are open, in either direction. */
  channels: number;
  /** The results of steps that are kept for the peer. */
  heldResults: number;
}

/** The observation of a call that is being answered. */
export interface CallObservation {
  /** Runs the function that answers the call, inside of the observer's own code. */
  run<T>(answer: () => T): T;
  /** Tells the observer the outcome of the call. `resultBytes` is given if the outcome was written into a frame. */
  ended(outcome: Outcome, resultBytes?: number): void;
}

/** The session that a call came through. */
interface ContextHost {
  /** The store of the results of exactly-once calls, if there is one. */
  readonly results: ResultStore | undefined;
  readonly caller: Caller | undefined;
  /** Holds the ways to derive the results of methods marked `restorable` again. */
  readonly exportsWatcher?: { readonly recipes: Recipes } | undefined;
  readonly counts: SessionCounts;
  /** True if the connection has ended. */
  readonly isOver: boolean;
}

/** The connected caller, as `authenticate` of `routeRpc` identified it. It is the same again after hibernation. */
export interface Caller<Identity = unknown> {
  /** The value that `authenticate` returned; undefined if there is no authentication. */
  readonly identity: Identity;
  /** A random name of this connection. */
  readonly connectionId: string;
  /**
   * The time at which the identity expires, in milliseconds since 1970. Later calls are refused. Undefined if the
   * identity does not expire: see `expiring`.
   */
  readonly expiresAt?: number | undefined;
}

/** Facts about an earlier attempt at an operation, if its frame was sent again. */
export interface Earlier {
  /** Facts for the context of the operation's call. */
  readonly call: Pick<RunningCall, 'isResent' | 'ageMs' | 'refused' | 'isPassing' | 'isStored' | 'resumeAfter'>;
  /** The outcome; undefined if the operation must run. */
  readonly outcome: Outcome | undefined;
  /** True if the outcome is no longer needed. */
  readonly isUnwanted: boolean;
}

/** The context of a running call, with members for the library's own use. */
export class RunningCall implements CallContext, DeliveredCall {
  // The constructor sets the fields. Field initializers would cost one more function for every call.
  declare readonly callId: number;
  declare deadline: number | undefined;
  declare readonly traceparent: string | undefined;
  /** The caller at the time when the call arrived. The connection may belong to another caller by now. */
  declare caller: Caller | undefined;
  // Only calls that were made before over a lost connection, or whose results are stored, have these fields.
  /** True if the call may have run before. */
  declare readonly isResent?: boolean;
  /** The time since the call was first made, in milliseconds; undefined if it cannot have run before. */
  declare ageMs?: number | undefined;
  /** Creates the error for the caller if the call is refused but may have run before. */
  declare readonly refused?: (refusal: RpcError) => RpcError;
  /**
   * True if the call was answered before, so that it has had its effect. It runs only for other calls that use its
   * result.
   */
  declare readonly isPassing?: boolean;
  /** The position behind which the returned subscription continues, if the call is made to resume one. */
  declare readonly resumeAfter?: Position | undefined;
  /** A number that tells the call apart from others, if its result is to be stored. */
  declare payload?: number;
  /** True if the result is stored until the caller says that it has arrived. */
  declare isStored?: boolean;
  /** True if the call makes many calls, through a callback of `map`. */
  declare isMany?: boolean;
  /** The targets that calls of such a callback have returned. They are released with the result. */
  declare made?: object[] | undefined;
  /** True if any code has run for the call. */
  declare hasRun: boolean;
  /** The number of the connection that the call came over. */
  declare readonly life: number;
  /** The promise of the outcome, if the call was left running. */
  declare pending?: Promise<Outcome> | undefined;
  /** The observation of the call, if anyone observes it. */
  declare observation?: CallObservation | undefined;
  declare readonly host: ContextHost;
  declare private controller?: AbortController;
  declare private aborted?: { reason: unknown };

  constructor(host: ContextHost, callId: number, terms?: CallTerms, life = 0, earlier?: Earlier['call']) {
    this.host = host;
    this.callId = callId;
    this.caller = host.caller;
    this.hasRun = false;
    this.life = life;
    this.deadline = terms?.timeoutMs === undefined ? undefined : Date.now() + terms.timeoutMs;
    this.traceparent = terms && validTraceparent(terms.traceparent);
    if (earlier !== undefined) Object.assign(this, earlier);
  }

  get counts(): SessionCounts {
    return this.host.counts;
  }

  /** Created when it is first read: most methods never read it. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.aborted !== undefined) this.controller.abort(this.aborted.reason);
    }
    return this.controller.signal;
  }

  /**
   * The reason why nothing may run for the call any more: the call, its connection or its caller is no longer valid.
   * Undefined if it may run.
   */
  get over(): RpcError | undefined {
    const { deadline } = this;
    const { caller, isOver } = this.host;
    // A caller whose own timer is late receives this error first.
    const code = deadline !== undefined && Date.now() >= deadline ? 'TIMED_OUT' : this.aborted && 'CANCELLED';
    if (code) return noteRefused(new RpcError(code, 'the caller gave up before the call began'));
    // The current caller of the connection counts: the caller may have shown a new token.
    const isExpired = caller?.expiresAt !== undefined && Date.now() >= caller.expiresAt;
    if (!isOver && !isExpired) return undefined;
    const what = isOver ? 'the connection ended' : 'what the caller logged in with has expired';
    const refusal = new RpcError(isOver ? 'NOT_EXECUTED' : 'EXPIRED', `${what} before the call began`);
    return noteRefused(this.refused?.(refusal) ?? refusal);
  }

  /** Aborts the call, because its caller no longer waits for it. */
  abort(reason: unknown): void {
    this.aborted ??= { reason };
    this.controller?.abort(reason);
  }
}

/** Creates the error for a call that its caller gave up with this code. */
export function givenUp(code: string): RpcError {
  return new RpcError(code === 'TIMED_OUT' ? code : 'CANCELLED', `the caller gave up: ${code}`);
}
