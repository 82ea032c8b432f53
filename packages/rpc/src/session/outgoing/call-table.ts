import { RpcError } from '../../errors/rpc-error.ts';
import { WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { type Call, type OutgoingFrame, takeBack } from './call.ts';

/** A call rejects when this many of its connections were lost. */
export const MAX_LOSSES = 5;

/**
 * The calls that are to be answered, by id. All of them leave through this class: with a result, with a refusal, or
 * with the loss of the connection.
 */
export class CallTable extends Map<number, Call> {
  /** The frames that pass values by reference and that the peer is not known to have read. */
  readonly unread: OutgoingFrame[] = [];
  /** The numbers of calls that settled with a value and with an error. */
  succeeded = 0;
  failed = 0;

  /**
   * Settles a call. `isRead` is true if an answer of the peer settles it. Returns false if nobody waits for the call.
   */
  settle(id: number, outcome: Outcome, isRead = false): boolean {
    const { unread } = this;
    // The peer reads frames in order, so it has read all frames before the answered call.
    while (isRead && unread.length > 0 && (unread[0].passed === undefined || unread[0].lastId <= id)) {
      unread.shift()!.passed = undefined;
    }
    const call = this.get(id);
    // A call that is missing was settled by a refusal of its frame, so nobody waits for it.
    if (call === undefined) return false;
    this.delete(id);
    if (outcome.ok) this.succeeded++;
    else this.failed++;
    call.settle(outcome);
    return true;
  }

  /** Settles the calls of a frame that was refused because of the call at `index`. */
  refused(firstId: number, index: number, error: RpcError): void {
    const unread = this.unread.find((frame) => frame.firstId === firstId);
    if (unread !== undefined) takeBack(unread, error);
    this.#reject((call) => {
      const { id, frame } = call;
      if (frame?.firstId !== firstId) return undefined;
      // The server refuses a frame as a whole before it has found out which of its calls ran over an earlier connection.
      if (frame.lostAt !== undefined) return outcomeUnknown(call, error);
      const isBlamed = index === WHOLE_FRAME || id === firstId + index;
      return isBlamed ? error : new RpcError('NOT_EXECUTED', `refused with another call: ${error.message}`);
    });
  }

  /** Settles the calls of frames whose answer is complete and does not include them. */
  answered(frames: readonly (Message | undefined)[]): void {
    const reason = new RpcError('MALFORMED_FRAME', 'the answer leaves it out');
    this.#reject((call) => (frames.includes(call.frame?.message) ? outcomeUnknown(call, reason) : undefined));
  }

  /** Settles the calls of a frame that is not sent. */
  reject(frame: OutgoingFrame, error: RpcError): void {
    takeBack(frame, error);
    this.#reject((call) => (call.frame === frame ? error : undefined));
  }

  /** Settles the calls that end with the lost connection. */
  lost(reason: RpcError, mayHaveRun: boolean, isResumed: boolean): void {
    for (const frame of this.unread.splice(0)) {
      for (const passed of frame.passed ?? []) passed.lost?.();
      frame.passed = undefined;
    }
    this.#reject((call) => lossOf(call, reason, mayHaveRun, isResumed));
  }

  /** Returns the finished frames of calls that have not settled, each with those calls. */
  frames(): Map<OutgoingFrame, Call[]> {
    const frames = new Map<OutgoingFrame, Call[]>();
    for (const call of this.values()) {
      const { frame } = call;
      if (frame?.message === undefined) continue;
      const known = frames.get(frame);
      if (known === undefined) frames.set(frame, [call]);
      else known.push(call);
    }
    return frames;
  }

  /** Settles the calls for which `errorOf` returns an error. */
  #reject(errorOf: (call: Call) => RpcError | undefined): void {
    for (const call of this.values()) {
      const error = errorOf(call);
      if (error !== undefined) this.settle(call.id, { ok: false, error });
    }
  }
}

/**
 * Decides the effect of a lost connection on a call, and returns the error that the call rejects with. Returns
 * undefined if the call is sent again: the session `isResumed`, the call uses nothing that was lost, and it was not
 * lost too often. The server knows which of those methods may run twice. `mayHaveRun` is true if calls that were sent
 * can have run.
 */
function lossOf(call: Call, reason: RpcError, mayHaveRun: boolean, isResumed: boolean): RpcError | undefined {
  const { frame } = call;
  if (isResumed && !call.isBound && !(frame!.losses >= MAX_LOSSES)) return undefined;
  return mayHaveRun && frame?.sent ? outcomeUnknown(call, reason) : reason;
}

/** Creates the error for a call that was sent and whose outcome is unknown. */
function outcomeUnknown({ name, frame }: Call, cause: RpcError): RpcError {
  const often = frame!.losses >= MAX_LOSSES ? ', and was lost with its connection again and again' : '';
  return new RpcError('OUTCOME_UNKNOWN', `${name}() may have run${often}: ${cause.message}`, { cause });
}
