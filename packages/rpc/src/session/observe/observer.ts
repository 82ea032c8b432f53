import type { CallFrame, Operation } from '../../protocol/operation.ts';
import type { CallObservation, RunningCall } from '../incoming/call-context.ts';
import type { Call } from '../outgoing/call.ts';
import type { Node } from '../outgoing/node.ts';

/** Observes calls, as `observeCalls` makes it: a session knows no more of observing, so that a page without it loads none. */
export interface Observer {
  /** Makes a call by `make`, and observes it. @internal */
  outgoing(session: ObservedSession, node: Node, args: unknown[] | undefined, make: (node: Node) => Call): Call;
  /** Answers a call of a frame by `run`, and observes it. @internal */
  answer<T>(call: RunningCall, operation: Operation, frame: CallFrame, session: ErrorReports, run: () => T): T;
  /** Begins to observe a call that is to be answered; undefined where nobody wants to know how it ends. @internal */
  incoming(call: RunningCall, operation: ObservedOperation): CallObservation | undefined;
}

/** The session that makes an observed call. */
export interface ObservedSession {
  readonly observer: Observer | undefined;
  /** Destination of calls. */
  readonly description: string | undefined;
  /** Bytes of calls that have been written and not sent. */
  readonly unsentBytes: number;
  /** Bytes of the message that arrived last. */
  readonly messageBytes: number;
  onError(error: unknown, method: string, call: undefined): void;
}

/** Takes what observers throw. */
interface ErrorReports {
  onError(error: unknown, method: string, call: RunningCall): void;
}

/** A call that is to be answered, beside what its context knows. */
export interface ObservedOperation extends ErrorReports {
  readonly path: readonly string[];
  readonly args: unknown[] | undefined;
  /** Its share of the frame. */
  readonly bytes: number;
}
