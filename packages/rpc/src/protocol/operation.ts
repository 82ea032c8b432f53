import type { RpcError } from '../errors/rpc-error.ts';
import { type Address, type ResultReference, readAddress, readPath } from './address.ts';
import { malformedFrame } from './errors.ts';
import type { Signal } from './signal.ts';

/** Terms of a call that travel in addition to its arguments. */
export interface CallTerms {
  /** Milliseconds from the arrival of the frame until the caller stops waiting. */
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

/**
 * Matches a version, the ids of a trace and of a span, neither of them zero, and flags. Later versions may append more.
 */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;
const LENGTH = 55;

/**
 * Returns a `traceparent` if it is valid by the W3C recommendation Trace Context, otherwise undefined. The
 * recommendation says that a receiver ignores an invalid one.
 */
export function validTraceparent(text: string | undefined): string | undefined {
  if (text === undefined || !TRACEPARENT.test(text)) return undefined;
  return text.startsWith('00') && text.length !== LENGTH ? undefined : text;
}

/** One operation of a call frame: reads a property path of the receiver, or calls the method at the end of the path. */
export interface Operation {
  receiver: Address;
  path: readonly string[];
  /** Undefined if the operation reads. */
  args: unknown[] | undefined;
  /** References to results in the arguments. Undefined if there are none. */
  references?: readonly ResultReference[] | undefined;
  terms: CallTerms | undefined;
  /** True if the caller wants the result. Otherwise the result is only for other operations of the frame. */
  answered: boolean;
}

/**
 * An operation as an entry of a call frame. A path of one name is written as that name. The arguments are null if the
 * operation reads, and left out if nothing follows them.
 */
export type OperationEntry = [
  receiver: Address,
  path: string | readonly string[],
  args?: unknown[] | null,
  timeoutMs?: number | null,
  traceparent?: string,
];

/** Checks an entry of a call frame, and returns its operation. `index` is its place among the operations. */
export function readOperation(entry: readonly unknown[], index: number): Operation {
  if (entry.length < 2 || entry.length > 5) throw malformedFrame('an operation');
  const path: unknown = entry[1];
  // `at` finds nothing beyond the end; an index finds what all objects may inherit.
  const args: unknown = entry.at(2) ?? undefined;
  if (!Array.isArray(args) && (args !== undefined || entry.length === 3)) {
    throw malformedFrame('arguments');
  }
  return {
    receiver: entry[0] === 0 ? 0 : readAddress(entry[0], index),
    path: typeof path === 'string' ? [path] : readPath(path),
    args: args as unknown[] | undefined,
    terms: entry.length > 3 ? readTerms(entry[3] ?? undefined, entry.at(4)) : undefined,
    answered: true,
  };
}

function readTerms(timeoutMs: unknown, traceparent: unknown): CallTerms {
  if (!isTimeout(timeoutMs)) throw malformedFrame('a timeout');
  if (!isTraceparent(traceparent)) throw malformedFrame('a traceparent');
  return { timeoutMs, traceparent };
}

/** The reason why a frame cannot run whose first call id is known. Thrown if its signals cannot be read either. */
export class RefusedFrame extends Error {
  declare readonly firstId: number;
  /** The place in the frame of the operation that is to blame, or `WHOLE_FRAME`. */
  declare readonly index: number;
  declare readonly cause: RpcError;

  constructor(firstId: number, index: number, cause: RpcError) {
    super(cause.message, { cause });
    Object.assign(this, { firstId, index });
  }
}

/** A call frame that was read. Its operations have the ids `firstId`, `firstId + 1` and so on. */
export interface CallFrame {
  readonly kind: 'calls';
  readonly firstId: number;
  readonly operations: Operation[];
  readonly signals: Signal[];
  /** Why its operations, of which there are none here, do not run; undefined if they do. Its signals are handled. */
  readonly refusal: RefusedFrame | undefined;
  /** The length of the whole frame, in UTF-16 units of text or in bytes. */
  readonly size: number;
  /** Approximate memory that the frame takes, in bytes. */
  readonly cost: number;
  /** Number of operations that the frame counts as. */
  readonly charge: number;
  /** Number of holders of the frame's memory: its running calls, and the frame itself while it waits for its turn. */
  holders: number;
}
