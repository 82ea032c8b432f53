import type { RpcErrorCode } from '../errors/rpc-error.ts';
import type { Caller } from '../session/incoming/call-context.ts';

/** A call that begins, on the side that makes it or on the one that answers it. */
export interface ObservedCall {
  /** Direction: this side makes the call, or answers it. */
  readonly direction: 'outgoing' | 'incoming';
  /** The names behind the receiver, joined by dots. */
  readonly method: string;
  /** True if a property is read, and no method called. */
  readonly isRead: boolean;
  /** Arguments of the call; undefined for reading. They are the call's own: not to be changed, and not to be kept. */
  readonly args: readonly unknown[] | undefined;
  /** The caller's W3C `traceparent`: of an outgoing call what `withOptions` was given, of an incoming one what arrived, if it is valid. */
  readonly traceparent: string | undefined;
  /** Destination of an outgoing call of a client: the URL, or what stands for it. */
  readonly address: string | undefined;
  /** The caller of an incoming call; undefined for outgoing calls. */
  readonly caller: Caller | undefined;
  /** The number of an incoming call, which the other side gave it. */
  readonly callId: number | undefined;
}

/** Outcome of a call. */
export interface ObservedEnd {
  /**
   * `value` or `error` as the caller is told. `step` where this side is not told: the result was only for other calls to go on
   * from, and stays on the other side.
   */
  readonly outcome: 'value' | 'error' | 'step';
  /** The value that the call returned; undefined where it did not. */
  readonly value: unknown;
  /** The error that it was rejected with, by the method or by the library. */
  readonly error: unknown;
  /** The code of an error of the library's kind. */
  readonly code: RpcErrorCode | undefined;
  /** Milliseconds from the call until it settled, or was answered. In Workers the clock stands still while code runs: only waiting counts. */
  readonly durationMs: number;
  /**
   * Bytes of the call: those it added to its frame, or on the side that answers its even share of the frame. Undefined where it
   * was not written at once, or filled a frame.
   */
  readonly callBytes: number | undefined;
  /**
   * Bytes of the result: those it added to its frame, or on the side that called the whole message that it arrived in. Undefined
   * where there is none, or it is an error that arrived.
   */
  readonly resultBytes: number | undefined;
}

/** Follows a call that an observer is interested in. */
export interface CallWatch {
  /** Travels with an outgoing call, instead of what its caller gave. */
  readonly traceparent?: string | undefined;
  /**
   * Runs what answers an incoming call, by calling `answer` once and at once: inside of it a span can be active. What waits for
   * something else goes on behind it, in the same asynchronous context.
   */
  run?(answer: () => void): void;
  /** Called once, when the call has ended. */
  end?(end: ObservedEnd): void;
}

/**
 * Called with each call when it begins, on either side; what it returns follows the call. Undefined leaves the call alone. What
 * it throws goes to `onError`, and the call goes on.
 */
export type ObserveCall = (call: ObservedCall) => CallWatch | undefined;
