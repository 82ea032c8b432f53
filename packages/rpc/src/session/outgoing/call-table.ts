import { RpcError } from '../../errors/rpc-error.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Call } from './call.ts';

/** The calls that have not settled yet. All of them leave through here: by a result, a refusal, or the loss of the connection. */
export class CallTable {
  readonly #calls = new Map<number, Call>();
  /** Called when the last call has left. */
  whenEmpty: (() => void) | undefined;

  get size(): number {
    return this.#calls.size;
  }

  add(call: Call): void {
    this.#calls.set(call.id, call);
  }

  /** Removes a call that will not be answered: its frame says so, or nobody waits for it any more. */
  delete(call: Call): void {
    if (this.#calls.delete(call.id)) this.#left();
  }

  /** Settles a call; false where nobody waits for it. */
  settle(id: number, outcome: Outcome): boolean {
    const call = this.#calls.get(id);
    // An id that is not there was settled by a refusal of its frame; nobody waits for it.
    if (call === undefined) return false;
    this.#calls.delete(id);
    call.settle(outcome);
    this.#left();
    return true;
  }

  refused(firstId: number, index: number, error: RpcError): void {
    for (const call of this.#calls.values()) {
      if (call.frame?.firstId !== firstId) continue;
      const isBlamed = call.id === firstId + index;
      const reason = isBlamed ? error : new RpcError('NOT_EXECUTED', `refused with another call: ${error.message}`);
      this.settle(call.id, { ok: false, error: reason });
    }
  }

  /** Settles every call when the connection is lost: `mayHaveRun` says whether what was sent can have run. */
  lost(reason: RpcError, mayHaveRun: boolean): void {
    for (const call of this.#calls.values()) {
      this.settle(call.id, {
        ok: false,
        error: mayHaveRun && call.frame?.sent ? outcomeUnknown(call, reason) : reason,
      });
    }
  }

  #left(): void {
    if (this.size > 0) return;
    this.whenEmpty?.();
    this.whenEmpty = undefined;
  }
}

function outcomeUnknown(call: Call, reason: RpcError): RpcError {
  return new RpcError('OUTCOME_UNKNOWN', `${call.name}() may have run: ${reason.message}`, { cause: reason });
}
