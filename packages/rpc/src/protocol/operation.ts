import { type Address, type ResultReference, readAddress, readPath } from './address.ts';
import { malformedFrame } from './errors.ts';
import type { Signal } from './signal.ts';

/** Terms of a call that travel beside its arguments. */
export interface CallTerms {
  /** Milliseconds from the frame's arrival until the caller no longer waits. */
  readonly timeoutMs: number | undefined;
  /** A W3C `traceparent`. */
  readonly traceparent: string | undefined;
}

const MAX_TRACEPARENT = 256;

/** Returns true if a value can be the `timeout` of an operation. */
export function isTimeout(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && value >= 0);
}

/** Returns true if a value can be the `traceparent` of an operation. */
export function isTraceparent(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value.length <= MAX_TRACEPARENT);
}

/** A version, an id of the trace and one of the span, neither of them zero, and flags; later versions may go on behind that. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;
const LENGTH = 55;

/**
 * Returns a `traceparent` if it is one by the W3C's recommendation Trace Context; else undefined, since whoever receives another
 * has to take it for none.
 */
export function validTraceparent(text: string | undefined): string | undefined {
  if (text === undefined || !TRACEPARENT.test(text)) return undefined;
  return text.startsWith('00') && text.length !== LENGTH ? undefined : text;
}

/** One operation of a call frame: read a property path of the receiver, or call the method at its end. */
export interface Operation {
  receiver: Address;
  path: readonly string[];
  /** Undefined for reading. */
  args: unknown[] | undefined;
  /** References to results in the arguments; undefined if there are none. */
  references?: readonly ResultReference[] | undefined;
  terms: CallTerms | undefined;
  /** True if the caller wants the result; else it is only for other operations of the frame. */
  answered: boolean;
}

/**
 * An operation as an entry of a call frame. A path of one name is that name; arguments are null for reading, and left out
 * where nothing comes behind them.
 */
export type OperationEntry = [
  receiver: Address,
  path: string | readonly string[],
  args?: unknown[] | null,
  timeoutMs?: number | null,
  traceparent?: string,
];

/** Checks an entry of a call frame; `index` is its place among the operations. */
export function readOperation(entry: readonly unknown[], index: number): Operation {
  if (entry.length < 2 || entry.length > 5) throw malformedFrame('an operation');
  const path: unknown = entry[1];
  const args: unknown = entry[2] ?? undefined;
  if (!Array.isArray(args) && (args !== undefined || entry.length === 3)) {
    throw malformedFrame('arguments');
  }
  return {
    receiver: entry[0] === 0 ? 0 : readAddress(entry[0], index),
    path: typeof path === 'string' ? [path] : readPath(path),
    args: args as unknown[] | undefined,
    terms: entry.length > 3 ? readTerms(entry[3] ?? undefined, entry[4]) : undefined,
    answered: true,
  };
}

function readTerms(timeoutMs: unknown, traceparent: unknown): CallTerms {
  if (!isTimeout(timeoutMs)) throw malformedFrame('a timeout');
  if (!isTraceparent(traceparent)) throw malformedFrame('a traceparent');
  return { timeoutMs, traceparent };
}

/** A call frame that was read: the operations have the ids `firstId`, `firstId + 1` and so on. */
export interface CallFrame {
  readonly kind: 'calls';
  readonly firstId: number;
  readonly operations: Operation[];
  readonly signals: Signal[];
  /** The length of the whole frame. */
  readonly size: number;
  /** Bytes of memory that it takes, about. */
  readonly cost: number;
  /** Number of operations that it counts as. */
  readonly charge: number;
  /**
   * Number of holders of its memory: calls of it that are running, and the frame itself while it waits for its turn.
   */
  holders: number;
}
