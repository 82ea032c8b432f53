import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { isTraceparent } from '../protocol/operation.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { Observer } from '../session/observe/observer.ts';

/** A call that begins, on the side that makes it or on the one that answers it. */
export interface ObservedCall {
  /** Direction: `outgoing` if this side makes the call, `incoming` if it answers it. */
  readonly direction: 'outgoing' | 'incoming';
  /** Names behind the receiver, joined by dots. */
  readonly method: string;
  /** True if a property is read, and no method called. */
  readonly isRead: boolean;
  /** Arguments of the call; undefined for reading. They belong to the call: do not change or keep them. */
  readonly args: readonly unknown[] | undefined;
  /** The caller's W3C `traceparent`: of an outgoing call the one given to `withOptions`, of an incoming one that which arrived, if it is valid. */
  readonly traceparent: string | undefined;
  /** Destination of an outgoing call of a client: the URL, or a description. */
  readonly address: string | undefined;
  /** The caller of an incoming call; undefined for outgoing calls. */
  readonly caller: Caller | undefined;
  /** Number of an incoming call, given by the other side. */
  readonly callId: number | undefined;
}

/** Outcome of a call. */
export interface ObservedEnd {
  /**
   * `value` or `error` as the caller receives it. `step` if the result stays on the other side, where only other calls use it.
   */
  readonly outcome: 'value' | 'error' | 'step';
  /** The value that the call returned, if it did. */
  readonly value: unknown;
  /** The error that it was rejected with, by the method or by the library. */
  readonly error: unknown;
  /** Code of an `RpcError`. */
  readonly code: RpcErrorCode | undefined;
  /** Milliseconds until the call settled or was answered. In Workers the clock stands still while code runs: only waiting counts. */
  readonly durationMs: number;
  /**
   * Bytes that the call added to its frame; on the side that answers, its even share of the frame. Undefined if it was not written at
   * once, or filled a frame.
   */
  readonly callBytes: number | undefined;
  /**
   * Bytes that the result added to its frame; on the side that called, the size of the whole message that it arrived in. Undefined if
   * there is none, or if an error arrived.
   */
  readonly resultBytes: number | undefined;
}

/** Follows one call. */
export interface CallWatch {
  /** Travels with an outgoing call, in place of its caller's. */
  readonly traceparent?: string | undefined;
  /**
   * Runs the answer to an incoming call: calls `answer` once, synchronously, for example inside of an active span. What the answer awaits
   * goes on in the same asynchronous context.
   */
  run?(answer: () => void): void;
  /** Called once, when the call has ended. */
  end?(end: ObservedEnd): void;
}

/**
 * Called with each call when it begins, on either side. The returned watch follows the call; undefined leaves it alone. What it throws
 * goes to `onError`, and the call goes on.
 */
export type ObserveCall = (call: ObservedCall) => CallWatch | undefined;

/**
 * Combines observers into the option `observe` of `connect` and of servers. The first is the outermost: an answer runs inside of all
 * of them.
 */
export function observeCalls(...observers: readonly ObserveCall[]): Observer {
  return {
    outgoing(session, node, args, make) {
      const { path, name, options } = node;
      const begun: ObservedCall = {
        direction: 'outgoing',
        method: path.join('.') || name,
        isRead: args === undefined,
        args,
        traceparent: options?.traceparent,
        address: session.description,
        caller: undefined,
        callId: undefined,
      };
      const watched = watch(observers, begun, (error) => session.onError(error, 'observe', undefined));
      if (watched === undefined) return make(node);
      const { traceparent } = watched;
      // With what is no text, or too long, the other side would refuse the whole frame.
      const isTraced = traceparent !== undefined && isTraceparent(traceparent);
      const bytesBefore = session.unsentBytes;
      const call = make(isTraced ? { ...node, options: { ...options, traceparent } } : node);
      // Less where it filled a frame, which has left.
      const added = session.unsentBytes - bytesBefore;
      const isWritten = call.frame !== undefined;
      const end = () => {
        const { outcome } = call;
        watched.end(
          outcome,
          added > 0 ? added : undefined,
          outcome?.ok && isWritten ? session.messageBytes : undefined,
        );
      };
      if (call.outcome === undefined) call.onSettled(end);
      else end();
      return call;
    },
    answer(call, { path, args }, { size, operations }, session, run) {
      const bytes = Math.round(size / operations.length);
      const onError = session.onError.bind(session);
      call.observation = this.incoming(call, { path, args, bytes, onError });
      return call.observation === undefined ? run() : call.observation.run(run);
    },
    incoming(call, { path, args, bytes, onError }) {
      const { traceparent, caller, callId } = call;
      const begun: ObservedCall = {
        direction: 'incoming',
        method: path.join('.') || (args === undefined ? 'result' : 'function'),
        isRead: args === undefined,
        args,
        traceparent,
        address: undefined,
        caller,
        callId,
      };
      const watched = watch(observers, begun, (error) => onError(error, 'observe', call));
      return watched && { run: watched.run, ended: (outcome, resultBytes) => watched.end(outcome, bytes, resultBytes) };
    },
  };
}

/**
 * Begins to observe a call, each observer with the `traceparent` that those before it gave; undefined where none wants to know
 * more. What an observer throws is reported: it is nothing to the call, nor to other observers.
 */
function watch(observers: readonly ObserveCall[], call: ObservedCall, report: (error: unknown) => void) {
  const guarded = (run: () => void) => {
    try {
      run();
    } catch (error) {
      report(error);
    }
  };
  const watches: CallWatch[] = [];
  let given: string | undefined;
  for (const observe of observers) {
    guarded(() => {
      const found = observe(given === undefined ? call : { ...call, traceparent: given });
      if (found === undefined) return;
      watches.push(found);
      given = found.traceparent ?? given;
    });
  }
  if (watches.length === 0) return undefined;
  const startedAt = performance.now();
  return {
    /** The `traceparent` that observers gave the call. */
    traceparent: given,
    /** Runs what answers the call inside of what all observers put around it. Whatever they do, the call is answered, and once. */
    run<T>(answer: () => T): T {
      let answered: (() => T) | undefined;
      const runFrom = (place: number) => {
        let isDone = false;
        const next = () => {
          if (isDone) return;
          isDone = true;
          if (place + 1 < watches.length) runFrom(place + 1);
          else answered = attempt(answer);
        };
        guarded(() => watches[place].run?.(next));
        next();
      };
      runFrom(0);
      return answered!();
    },
    end(outcome: Outcome | undefined, callBytes: number | undefined, resultBytes: number | undefined): void {
      const error = outcome?.ok === false ? outcome.error : undefined;
      const end = {
        outcome: outcome === undefined ? 'step' : outcome.ok ? 'value' : 'error',
        value: outcome?.ok ? outcome.value : undefined,
        error,
        code: error instanceof RpcError ? error.code : undefined,
        durationMs: performance.now() - startedAt,
        callBytes,
        resultBytes,
      } as const;
      for (const one of watches) guarded(() => one.end?.(end));
    },
  };
}

/** Runs what may throw; what it returns does as that did. What answering throws is none of an observer's. */
function attempt<T>(run: () => T): () => T {
  try {
    const result = run();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Returns an address without what may be secret in its URL: the query, and a name and password before the host. */
export function publicAddress(address: string): string {
  return address.replace(/\?.*/s, '').replace(/\/\/[^/]*@/, '//');
}

/** Returns the message of an error, without what may be secret in the URL that it may quote. */
export function publicMessage(error: unknown, address: string | undefined): string {
  const message = error instanceof Error ? error.message : typeof error;
  return address === undefined ? message : message.replaceAll(address, () => publicAddress(address));
}

const MAX_LENGTH = 100;

/** Returns the method of a call, cut: it may come from the other side, and be of any length. */
export function shortMethod({ method }: ObservedCall): string {
  return method.slice(0, MAX_LENGTH);
}
