import { RpcError } from '../../errors/rpc-error.ts';
import { WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { type Call, type OutgoingFrame, takeBack } from './call.ts';

/** The calls that are to be answered, by their ids. All of them leave through here: by a result, a refusal, or the loss of the connection. */
export class CallTable extends Map<number, Call> {
  /** Frames that pass something, and of which it is not known whether the other side has read them. */
  #unread: OutgoingFrame[] = [];
  /** How many have settled with a value, and with an error. */
  succeeded = 0;
  failed = 0;
  /** Called when the last call has left. */
  whenEmpty: (() => void) | undefined;

  /** Removes a call that will not be answered: its frame says so, or nobody waits for it any more. */
  override delete(id: number): boolean {
    const isDeleted = super.delete(id);
    if (this.size === 0) {
      this.whenEmpty?.();
      this.whenEmpty = undefined;
    }
    return isDeleted;
  }

  /** Notes that a frame which passes something is about to be sent. */
  passes(frame: OutgoingFrame): void {
    this.#unread.push(frame);
  }

  /** Settles a call that was answered; false where nobody waits for it. */
  answer(id: number, outcome: Outcome): boolean {
    const unread = this.#unread;
    // Frames are read in order. One that was taken back is still to be sent.
    while (unread.length > 0 && (unread[0].passed === undefined || (unread[0].sent && unread[0].lastId <= id))) {
      unread.shift()!.passed = undefined;
    }
    return this.settle(id, outcome);
  }

  /** Settles a call; false where nobody waits for it. */
  settle(id: number, outcome: Outcome): boolean {
    const call = this.get(id);
    // An id that is not there was settled by a refusal of its frame; nobody waits for it.
    if (call === undefined) return false;
    this.delete(id);
    if (outcome.ok) this.succeeded++;
    else this.failed++;
    call.settle(outcome);
    return true;
  }

  /** Settles the calls of a frame that was refused, because of the one at `index`. */
  refused(firstId: number, index: number, error: RpcError): void {
    const unread = this.#unread.find((frame) => frame.firstId === firstId);
    if (unread !== undefined) takeBack(unread, error);
    this.#reject((call) => {
      const { id, frame } = call;
      if (frame?.firstId !== firstId) return undefined;
      // Who has expired is refused before anything is read: nobody has looked whether it ran over an earlier connection.
      if (error.code === 'EXPIRED' && frame.lostAt !== undefined) return outcomeUnknown(call, error);
      const isBlamed = index === WHOLE_FRAME || id === firstId + index;
      return isBlamed ? error : new RpcError('NOT_EXECUTED', `refused with another call: ${error.message}`);
    });
  }

  /** Settles the calls of frames whose answer is complete, and leaves them out. */
  answered(frames: readonly Message[]): void {
    const reason = new RpcError('MALFORMED_FRAME', 'the answer leaves it out');
    this.#reject((call) => {
      const message = call.frame?.message;
      return message !== undefined && frames.includes(message) ? outcomeUnknown(call, reason) : undefined;
    });
  }

  /** Settles the calls of a frame that is not sent. */
  reject(frame: OutgoingFrame, error: RpcError): void {
    takeBack(frame, error);
    this.#reject((call) => (call.frame === frame ? error : undefined));
  }

  /**
   * Settles calls when the connection is lost: `mayHaveRun` is true if what was sent can have run. With `isResumed`, calls that
   * can be made over another connection stay.
   */
  lost(reason: RpcError, mayHaveRun: boolean, isResumed: boolean): void {
    for (const frame of this.#unread.splice(0)) {
      for (const passed of frame.passed ?? []) passed.lost?.();
      frame.passed = undefined;
    }
    this.#reject((call) => {
      if (isResumed && !call.isBound) return undefined;
      return mayHaveRun && call.frame?.sent ? outcomeUnknown(call, reason) : reason;
    });
  }

  /** The finished frames of calls that have not settled, with the places of these. */
  byFrame(): Map<OutgoingFrame, number[]> {
    const places = new Map<OutgoingFrame, number[]>();
    for (const { id, frame } of this.values()) {
      if (frame?.message === undefined) continue;
      const known = places.get(frame);
      if (known === undefined) places.set(frame, [id - frame.firstId]);
      else known.push(id - frame.firstId);
    }
    return places;
  }

  /** Settles the calls for which there is an error. */
  #reject(errorOf: (call: Call) => RpcError | undefined): void {
    for (const call of this.values()) {
      const error = errorOf(call);
      if (error !== undefined) this.settle(call.id, { ok: false, error });
    }
  }
}

function outcomeUnknown(call: Call, reason: RpcError): RpcError {
  return new RpcError('OUTCOME_UNKNOWN', `${call.name}() may have run: ${reason.message}`, { cause: reason });
}
