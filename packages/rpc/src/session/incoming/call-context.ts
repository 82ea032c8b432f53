import { RpcError } from '../../errors/rpc-error.ts';
import { type CallTerms, validTraceparent } from '../../protocol/operation.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { DeliveredCall, ResultStore } from './delivery.ts';
import { noteRefused, noteThrown } from './thrown.ts';

/** Context of the call that a method answers. */
export interface CallContext<Identity = unknown> {
  /**
   * The caller: what `target` was called with. Undefined where the connection has no caller, as in a page's callback.
   */
  readonly caller: Caller<Identity> | undefined;
  /** The call's number, which the other side gave it: unique for as long as its client lives. */
  readonly callId: number;
  /** Aborted when the caller cancels, when its time is up, and when its connection is lost. */
  readonly signal: AbortSignal;
  /**
   * Time at which the caller stops waiting, in milliseconds since 1970 by this side's clock; undefined where it waits
   * for ever.
   */
  readonly deadline: number | undefined;
  /** The caller's W3C `traceparent`; undefined where there is none, or no valid one. */
  readonly traceparent: string | undefined;
  /** Counts of what this side of the connection holds now, without the call itself. */
  readonly counts: SessionCounts;
}

/** Counts of what a session holds now. All are zero when nothing is going on and nothing is held. */
export interface SessionCounts {
  /** Calls made by this side and not yet settled. */
  callsInFlight: number;
  /** Targets and functions of this side that the other side holds. */
  exports: number;
  /** Targets and functions of the other side that are held here. */
  imports: number;
  /** Streams and the like that are being passed, in either direction. */
  channels: number;
  /** Results of steps that are kept for the other side. */
  heldResults: number;
}

/** Observation of a call that is being answered. */
export interface CallObservation {
  /** Runs what answers the call, as the observer would have it run. */
  run<T>(answer: () => T): T;
  /** Tells the observer what became of it; `resultBytes` where that was written into a frame. */
  ended(outcome: Outcome, resultBytes?: number): void;
}

/** The session that a call came by. */
interface ContextHost {
  /** Store of the results of exactly-once calls, if there is one. */
  readonly results: ResultStore | undefined;
  readonly caller: Caller | undefined;
  readonly counts: SessionCounts;
  /** True if the connection has ended. */
  readonly isOver: boolean;
}

/** The connected caller, as `authenticate` of `routeRpc` found out; the same object again after hibernation. */
export interface Caller<Identity = unknown> {
  /** Value that `authenticate` returned; undefined if there is no authentication. */
  readonly identity: Identity;
  /** A random name of this connection. */
  readonly connectionId: string;
  /**
   * Time at which the identity expires, in milliseconds since 1970; calls after that are refused. Undefined where it
   * does not: see `expiring`.
   */
  readonly expiresAt?: number | undefined;
}

/** Facts about an operation from earlier, if its frame was sent again. */
export interface Earlier {
  /** Facts for the context of its call. */
  readonly call: Pick<RunningCall, 'isAgain' | 'ageMs' | 'refused' | 'isPassing' | 'isStored' | 'resumeAfter'>;
  /** Its outcome; undefined if it is to run. */
  readonly outcome: Outcome | undefined;
  /** True if nobody needs that any more. */
  readonly isUnwanted: boolean;
}

/** The context of a call that runs, with what the library does to it. */
export class RunningCall implements CallContext, DeliveredCall {
  // The constructor sets its fields: what sets them elsewhere would be a function more for every call.
  declare readonly callId: number;
  declare deadline: number | undefined;
  declare readonly traceparent: string | undefined;
  /** The caller when it arrived; the connection may belong to another by now. */
  declare caller: Caller | undefined;
  // What only calls have that were made before, over a connection that was lost, or that are stored.
  /** True if it may have run. */
  declare readonly isAgain?: boolean;
  /** Time since it was made first, in milliseconds; undefined if it cannot have run. */
  declare ageMs?: number | undefined;
  /** Makes the error for its caller where it is refused and may have run. */
  declare readonly refused?: (refusal: RpcError) => RpcError;
  /** True if it runs for others only: it was answered, so that it has had its effect. */
  declare readonly isPassing?: boolean;
  /** Number of the event after which the subscription that it returns goes on, if it is called for that. */
  declare readonly resumeAfter?: number | undefined;
  /** True if its result is stored until the caller says that it has arrived. */
  declare isStored?: boolean;
  /** True if it makes many calls, by a callback of `map`. */
  declare isMany?: boolean;
  /** True if anything has run for it. */
  declare hasRun: boolean;
  /** Stands for the connection that it came over. */
  declare readonly life: number;
  /** Outcome to come, if it was left running. */
  declare pending?: Promise<Outcome> | undefined;
  /** Observation of it, if anybody observes. */
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

  /** Made when it is asked for: most methods never do. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.aborted !== undefined) this.controller.abort(this.aborted.reason);
    }
    return this.controller.signal;
  }

  /** Why nothing may run for it any more: the call, its connection or its caller is no longer what it was. Undefined where it may. */
  get over(): RpcError | undefined {
    const { deadline } = this;
    const { caller, isOver } = this.host;
    // A caller whose timers are late hears of this first.
    const code = deadline !== undefined && Date.now() >= deadline ? 'TIMED_OUT' : this.aborted && 'CANCELLED';
    if (code) return noteRefused(new RpcError(code, 'the caller gave up before the call began'));
    // Of whoever the connection is by now: a caller may have shown a new token.
    const isExpired = caller?.expiresAt !== undefined && Date.now() >= caller.expiresAt;
    if (!isOver && !isExpired) return undefined;
    const what = isOver ? 'the connection ended' : 'what the caller logged in with has expired';
    const refusal = new RpcError(isOver ? 'NOT_EXECUTED' : 'EXPIRED', `${what} before the call began`);
    return noteRefused(this.refused?.(refusal) ?? refusal);
  }

  /** Ends it for its caller. */
  abort(reason: unknown): void {
    this.aborted ??= { reason };
    this.controller?.abort(reason);
  }
}

/** Makes the error for a call that its caller gave up with a code. */
export function givenUp(code: string): RpcError {
  return new RpcError(code === 'TIMED_OUT' ? code : 'CANCELLED', `the caller gave up: ${code}`);
}

interface AsyncStorage {
  run<Result>(store: RunningCall, run: () => Result): Result;
  getStore(): RunningCall | undefined;
}

/** The platform's way to know, after an `await`, which call is being answered: Node and Workers have one, browsers do not yet. */
let storage: AsyncStorage | undefined;
let current: RunningCall | undefined;

/** Has calls known also after an `await` from now on, where the platform can tell. Who asks for none need not load what it takes. */
export function followCalls(): void {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const module = process?.getBuiltinModule?.('node:async_hooks') as
    | { AsyncLocalStorage: new () => AsyncStorage }
    | undefined;
  storage ??= module && new module.AsyncLocalStorage();
}

/**
 * Runs a method for a call, which it can ask for until its first `await`. All that runs for a call runs by this or
 * `runThroughout`: here is where it is looked at whether anything may, whatever the call had to wait for. With `isOurs` it is no
 * method but the library that runs, whose errors are not told of as a method's.
 * @throws {RpcError} where the call is over: then nothing runs
 */
export function runIn<Args extends unknown[], Result>(
  call: RunningCall,
  run: (...args: Args) => Result,
  receiver: unknown,
  args: Args,
  isOurs = false,
  within?: AsyncStorage,
): Result {
  const { over } = call;
  if (over !== undefined) throw over;
  call.hasRun = true;
  const outer = current;
  current = call;
  try {
    return within === undefined
      ? Reflect.apply(run, receiver, args)
      : within.run(call, () => Reflect.apply(run, receiver, args));
  } catch (error) {
    throw isOurs ? error : noteThrown(error);
  } finally {
    current = outer;
  }
}

/**
 * Runs a method as `runIn` does: it can ask for the call also after an `await`, which costs a Worker more than all the rest of a
 * call.
 * @throws {RpcError} as `runIn` does
 */
export function runThroughout<Args extends unknown[], Result>(
  call: RunningCall,
  run: (...args: Args) => Result,
  receiver: unknown,
  args: Args,
  isOurs?: boolean,
): Result {
  return runIn(call, run, receiver, args, isOurs, storage);
}

/** The call that is being answered, while what answers it runs until its first `await`. */
export function currentCall(): RunningCall | undefined {
  return current;
}

/** The call that is being answered, also after an `await` where the platform can tell; undefined where there is none. */
export function answeredCall(): RunningCall | undefined {
  return current ?? storage?.getStore();
}

/**
 * Returns what is known of the call that the method is answering, also after an `await`. Where the platform has no way to
 * tell, in pages and in Workers without `nodejs_compat`, it has to be asked for before the first `await`.
 * @throws {Error} where no call is being answered
 */
export function callContext<Identity = unknown>(): CallContext<Identity> {
  const call = answeredCall();
  if (call !== undefined) return call as unknown as CallContext<Identity>;
  const after = storage === undefined ? 'a Worker needs nodejs_compat' : 'a method has to be async, and no getter';
  throw new Error(`callContext() is for methods while they answer a call; to ask after an await, ${after}`);
}
