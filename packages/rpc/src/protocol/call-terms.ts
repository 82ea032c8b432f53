/** What a caller says of a call beside its arguments. */
export interface CallTerms {
  /** Milliseconds from the frame's arrival until the caller no longer waits. */
  readonly timeoutMs: number | undefined;
  /** A W3C `traceparent`. */
  readonly traceparent: string | undefined;
}

const MAX_TRACEPARENT = 256;

/** Whether a value can be the `timeout` of an operation. */
export function isTimeout(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && value >= 0);
}

/** Whether a value can be the `traceparent` of an operation. */
export function isTraceparent(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value.length <= MAX_TRACEPARENT);
}
