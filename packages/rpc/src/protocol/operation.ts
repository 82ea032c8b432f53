import { type Address, readAddress } from './address.ts';
import { type CallTerms, isTimeout, isTraceparent } from './call-terms.ts';
import { malformedFrame } from './malformed.ts';
import { readPath } from './path.ts';

/** One operation of a call frame: read a property path of the receiver, or call the method at its end. */
export interface Operation {
  receiver: Address;
  path: readonly string[];
  /** Undefined for reading. */
  args: unknown[] | undefined;
  terms: CallTerms | undefined;
  /** Whether the caller wants the result; else it is only for other operations of the frame. */
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
  if (entry.length < 2 || entry.length > 5) throw malformedFrame('an operation has two to five parts');
  const path: unknown = entry[1];
  const args: unknown = entry[2] ?? undefined;
  if (!Array.isArray(args) && (args !== undefined || entry.length === 3)) {
    throw malformedFrame('arguments are not a list');
  }
  return {
    receiver: readAddress(entry[0], index),
    path: typeof path === 'string' ? [path] : readPath(path),
    args: args as unknown[] | undefined,
    terms: entry.length > 3 ? readTerms(entry[3] ?? undefined, entry[4]) : undefined,
    answered: true,
  };
}

function readTerms(timeoutMs: unknown, traceparent: unknown): CallTerms {
  if (!isTimeout(timeoutMs)) throw malformedFrame('a timeout is a number of milliseconds');
  if (!isTraceparent(traceparent)) throw malformedFrame('a traceparent is a short text');
  return { timeoutMs, traceparent };
}
