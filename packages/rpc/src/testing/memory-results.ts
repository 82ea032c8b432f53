import { decode, encode } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import { fingerprint } from '../server/delivery/fingerprint.ts';
import type { DeliveredCall, ResultStore } from '../session/incoming/result-store.ts';

interface Stored {
  readonly payload: number;
  readonly result: Uint8Array<ArrayBuffer>;
}

/** Keeps what exactly-once methods returned, as an object does in its SQLite; but nothing is rolled back where one throws. */
export class MemoryResults implements ResultStore {
  readonly #stored = new Map<number, Stored>();

  run(call: DeliveredCall, method: string, args: unknown[], run: () => unknown): unknown {
    const known = this.find(call.callId, method, args);
    if (known?.ok === false) throw known.error;
    if (known === undefined) {
      const returned = run();
      this.#stored.set(call.callId, { payload: fingerprint(method, args), result: encode(returned) });
      call.isStored = true;
      return returned;
    }
    call.isStored = true;
    return known.value;
  }

  find(callId: number, method: string, args: unknown[] | undefined): Outcome | undefined {
    const stored = this.#stored.get(callId);
    if (stored === undefined) return undefined;
    if (args !== undefined && fingerprint(method, args) !== stored.payload) {
      const message = `another method or other arguments came under the id ${callId} of this client before`;
      return { ok: false, error: new RpcError('ID_REUSED', message) };
    }
    return { ok: true, value: decode(stored.result) };
  }

  acknowledge(callIds: readonly number[]): void {
    for (const callId of callIds) this.#stored.delete(callId);
  }

  forget(): void {
    this.#stored.clear();
  }
}
