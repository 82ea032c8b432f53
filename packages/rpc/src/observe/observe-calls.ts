import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { isTraceparent } from '../protocol/operation.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { Observer } from '../session/observe/observer.ts';

/** A call that begins, on the side that makes it or on the side that answers it. */
export interface ObservedCall {
  /** `outgoing` if this side makes the call, `incoming` if it answers it. */
  readonly direction: 'outgoing' | 'incoming';
  /** Names of the path after the receiver, joined by dots. */
  readonly method: string;
  /** True if a property is read and no method is called. */
  readonly isRead: boolean;
  /** Arguments of the call; undefined if a property is read. They belong to the call: do not change or keep them. */
  readonly args: readonly unknown[] | undefined;
  /**
   * The caller's W3C `traceparent`. Of an outgoing call, the one given to `withOptions`; of an incoming call, the one
   * that arrived, if it is valid.
   */
  readonly traceparent: string | undefined;
  /** Destination of a client's outgoing call: the URL, or a description. */
  readonly address: string | undefined;
  /** The caller of an incoming call; undefined for outgoing calls. */
  readonly caller: Caller | undefined;
  /** Id of an incoming call, given by the peer; undefined for outgoing calls. */
  readonly callId: number | undefined;
}

/** Outcome of a call. */
export interface ObservedEnd {
  /**
   * `value` or `error`, as the caller receives it; `step` if the result stays on the other side, where only other calls
   * use it.
   */
  readonly outcome: 'value' | 'error' | 'step';
  /** The value that the call returned, if the outcome is `value`. */
  readonly value: unknown;
  /** The error of the call, thrown by the method or by the library, if the outcome is `error`. */
  readonly error: unknown;
  /** Code of the error, if it is an `RpcError`. */
  readonly code: RpcErrorCode | undefined;
  /**
   * Milliseconds until the call settled or was answered. In Workers only waiting counts, because the clock stands still
   * while code runs.
   */
  readonly durationMs: number;
  /**
   * Bytes that the call added to its frame; on the answering side, an equal share of the frame. Undefined if the call
   * was not written at once, or if it filled a frame.
   */
  readonly callBytes: number | undefined;
  /**
   * Bytes that the result added to its frame; on the calling side, the size of the whole message that contained the
   * result. Undefined if there is no result, or if an error arrived.
   */
  readonly resultBytes: number | undefined;
}

/** Callbacks that follow one call. */
export interface CallWatch {
  /** The `traceparent` that is sent with an outgoing call, in place of the caller's. */
  readonly traceparent?: string | undefined;
  /**
   * Called to run the answer to an incoming call. Must call `answer` once, synchronously, for example inside of an
   * active span. Code that the answer awaits continues in the same asynchronous context.
   */
  run?(answer: () => void): void;
  /** Called once, when the call has ended. */
  end?(end: ObservedEnd): void;
}

/**
 * Called with each call when it begins, on either side. Returns a watch that follows the call, or undefined to ignore
 * it. An error that it throws goes to `onError`, and the call continues.
 */
export type ObserveCall = (call: ObservedCall) => CallWatch | undefined;

/**
 * Combines observers into the option `observe` of `connect` and of servers. The first observer is the outermost one: an
 * answer runs inside of all of them.
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
      // If the `traceparent` is not a text, or is too long, the peer would refuse the whole frame.
      const isTraced = traceparent !== undefined && isTraceparent(traceparent);
      const bytesBefore = session.unsentBytes;
      const call = make(isTraced ? { ...node, options: { ...options, traceparent } } : node);
      // Not positive if the call filled a frame, which was then sent.
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
 * Begins to observe a call. Each observer gets the `traceparent` that the observers before it gave. Returns undefined
 * if no observer follows the call. An error that an observer throws is reported, and affects neither the call nor other
 * observers.
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
    /** Runs the answer to the call inside of all observers. Whatever they do, the call is answered, and only once. */
    run<T>(answer: () => T): T {
      let answered: (() => T) | undefined;
      const runFrom = (place: number) => {
        let isDone = false;
        const next = () => {
          if (isDone) return;
          isDone = true;
          if (place + 1 < watches.length) runFrom(place + 1);
          else answered = capture(answer);
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

/**
 * Runs a function, and returns a function that returns its result or throws its error. Observers never see an error of
 * the answer itself.
 */
function capture<T>(run: () => T): () => T {
  try {
    const result = run();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Returns an address without the parts of its URL that may be secret: the query, and a name and password. */
export function publicAddress(address: string): string {
  return address.replace(/\?.*/s, '').replace(/\/\/[^/]*@/, '//');
}

/** Returns the message of an error, without the parts of the given address in it that may be secret. */
export function publicMessage(error: unknown, address: string | undefined): string {
  const message = error instanceof Error ? error.message : typeof error;
  return address === undefined ? message : message.replaceAll(address, () => publicAddress(address));
}

const MAX_LENGTH = 100;

/** Returns the method of a call, shortened. The method may come from the peer, and may be of any length. */
export function shortMethod({ method }: ObservedCall): string {
  return method.slice(0, MAX_LENGTH);
}
