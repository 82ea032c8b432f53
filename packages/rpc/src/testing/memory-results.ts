import { decode } from '@lumenize/structured-clone';
import type { RunningCall } from '../server/context.ts';
import type { Declared } from '../server/members.ts';
import { encodeResult, type ResultStore } from '../server/stored-results.ts';

/** The largest result, in bytes: what an object stores by default. */
const MAX_RESULT_BYTES = 1_048_576;

/**
 * Stores the results of exactly-once methods, as an object does in its SQLite. Unlike there, nothing is rolled back if
 * a method throws.
 */
export class MemoryResults implements ResultStore {
  readonly #stored = new Map<number, string | Uint8Array>();

  run({ callId }: RunningCall, _client: unknown, { name }: Declared, method: () => unknown): unknown {
    const stored = this.#stored.get(callId);
    if (stored !== undefined) return decode(stored);
    const value = method();
    this.#stored.set(callId, encodeResult(name, value, MAX_RESULT_BYTES));
    return value;
  }
}
