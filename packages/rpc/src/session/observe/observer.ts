import type { CallFrame, Operation } from '../../protocol/operation.ts';
import type { CallObservation, RunningCall } from '../incoming/call-context.ts';
import type { Call } from '../outgoing/call.ts';
import type { Node } from '../outgoing/node.ts';

/**
 * Observes calls; `observeCalls` creates it. A session knows only this interface, so a page without observers loads no
 * code for them.
 */
export interface Observer {
  /** Makes a call with `make`, and observes it. @internal */
  outgoing(session: ObservedSession, node: Node, args: unknown[] | undefined, make: (node: Node) => Call): Call;
  /** Answers a call of a frame with `run`, and observes it. @internal */
  answer<T>(call: RunningCall, operation: Operation, frame: CallFrame, session: ErrorReports, run: () => T): T;
  /**
   * Begins to observe a call that is to be answered; returns undefined if no observer wants to know how it ends.
   * @internal
   */
  incoming(call: RunningCall, operation: ObservedOperation): CallObservation | undefined;
}

/** The session that makes an observed call. */
export interface ObservedSession {
  readonly observer: Observer | undefined;
  /** The destination of calls. */
  readonly description: string | undefined;
  /** The bytes of calls that have been written and not sent. */
  readonly unsentBytes: number;
  /** The bytes of the message that arrived last. */
  readonly messageBytes: number;
  onError(error: unknown, method: string, call: undefined): void;
}

/** Receives the errors that observers throw. */
interface ErrorReports {
  onError(error: unknown, method: string, call: RunningCall): void;
}

/** A call that is to be answered, with facts that its context does not have. */
export interface ObservedOperation extends ErrorReports {
  readonly path: readonly string[];
  readonly args: unknown[] | undefined;
  /** The call's share of the bytes of its frame. */
  readonly bytes: number;
}
