import { RpcError } from '../../errors/rpc-error.ts';
import { WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Call, OutgoingFrame } from './call.ts';

/** The calls that have not settled yet. All of them leave through here: by a result, a refusal, or the loss of the connection. */
export class CallTable {
  readonly #calls = new Map<number, Call>();
  /** Called when the last call has left. */
  whenEmpty: (() => void) | undefined;

  get size(): number {
    return this.#calls.size;
  }

  get(id: number): Call | undefined {
    return this.#calls.get(id);
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
      const isBlamed = index === WHOLE_FRAME || call.id === firstId + index;
      const reason = isBlamed ? error : new RpcError('NOT_EXECUTED', `refused with another call: ${error.message}`);
      this.settle(call.id, { ok: false, error: reason });
    }
  }

  /** The frames of calls that have not settled, with the places of these. */
  byFrame(): Map<OutgoingFrame, number[]> {
    const places = new Map<OutgoingFrame, number[]>();
    for (const { id, frame } of this.#calls.values()) {
      if (frame === undefined) continue;
      const known = places.get(frame);
      if (known === undefined) places.set(frame, [id - frame.firstId]);
      else known.push(id - frame.firstId);
    }
    return places;
  }

  /** The frame that began with this id, as long as a call of it has not settled. */
  frameOf(firstId: number): OutgoingFrame | undefined {
    return [...this.#calls.values()].find((call) => call.frame?.firstId === firstId)?.frame;
  }

  /** Settles the calls of a frame that is not sent. */
  reject(frame: OutgoingFrame, error: RpcError): void {
    for (const call of this.#calls.values()) if (call.frame === frame) this.settle(call.id, { ok: false, error });
  }

  /**
   * Settles calls when the connection is lost: `mayHaveRun` says whether what was sent can have run. With `isResumed`, calls that
   * can be made over another connection stay, and their frames are returned.
   */
  lost(reason: RpcError, mayHaveRun: boolean, isResumed: boolean): ReadonlySet<OutgoingFrame> {
    const frames = new Set<OutgoingFrame>();
    for (const call of this.#calls.values()) {
      const { frame, isBound, id } = call;
      if (isResumed && frame !== undefined && !isBound) frames.add(frame);
      else {
        const isUnknown = frame?.inDoubt || (mayHaveRun && frame?.sent);
        this.settle(id, { ok: false, error: isUnknown ? outcomeUnknown(call, reason) : reason });
      }
    }
    return frames;
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
