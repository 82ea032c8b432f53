import { RpcError } from '../errors/rpc-error.ts';
import { isTraceparent } from '../protocol/operation.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { Observer } from '../session/observe/observer.ts';
import type { CallWatch, ObserveCall, ObservedCall } from './observed-call.ts';

/**
 * Makes the option `observe` of `connect` and of servers: each of the functions is called with each call. The first is outermost:
 * what answers a call runs inside of all of them.
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
      const callBytes = session.unsentBytes - bytesBefore;
      const isWritten = call.frame !== undefined;
      const end = () => {
        const { outcome } = call;
        const hasArrived = outcome?.ok && isWritten;
        watched.end(outcome, callBytes > 0 ? callBytes : undefined, hasArrived ? session.messageBytes : undefined);
      };
      if (call.outcome === undefined) call.onSettled(end);
      else end();
      return call;
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
  let seen = call;
  for (const observe of observers) {
    guarded(() => {
      const found = observe(seen);
      if (found === undefined) return;
      watches.push(found);
      const { traceparent } = found;
      if (traceparent !== undefined) seen = { ...call, traceparent };
    });
  }
  if (watches.length === 0) return undefined;
  const startedAt = performance.now();
  return {
    /** The `traceparent` that observers gave the call. */
    traceparent: seen === call ? undefined : seen.traceparent,
    /** Runs what answers the call inside of what all observers put around it, the first outermost. */
    run<T>(answer: () => T): T {
      let inner = answer;
      for (const one of watches.toReversed()) if (one.run !== undefined) inner = around(one, inner, guarded);
      return inner();
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

/** Puts an observer around what answers a call. Whatever it does, the call is answered, and once: what answering throws is none of the observer's. */
function around<T>(watch: CallWatch, answer: () => T, guarded: (run: () => void) => void): () => T {
  return () => {
    let answered: (() => T) | undefined;
    const answerOnce = () => {
      answered ??= attempt(answer);
    };
    guarded(() => watch.run?.(answerOnce));
    answerOnce();
    return answered!();
  };
}

/** Runs what may throw; what it returns does as that did. */
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
