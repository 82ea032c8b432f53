import { RpcError } from '../../errors/rpc-error.ts';
import { WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { type Call, type OutgoingFrame, takeBackPassed } from './call.ts';

/** The calls that have not settled yet. All of them leave through here: by a result, a refusal, or the loss of the connection. */
export class CallTable {
  readonly #calls = new Map<number, Call>();
  /** Frames of calls that were given up: what they pass is taken back if they are refused yet. */
  readonly #givenUp = new Set<OutgoingFrame>();
  /** How many have settled with a value, and with an error. */
  succeeded = 0;
  failed = 0;
  /** Called when the last call has left. */
  whenEmpty: (() => void) | undefined;

  get size(): number {
    return this.#calls.size;
  }

  /** The calls themselves. */
  get calls(): Iterable<Call> {
    return this.#calls.values();
  }

  get(id: number): Call | undefined {
    return this.#calls.get(id);
  }

  /** The frame of an operation, where calls behind it have not settled which may use its result. */
  frameOf(id: number): OutgoingFrame | undefined {
    for (const call of this.#calls.values()) {
      if (call.id > id && call.frame!.firstId <= id) return call.frame;
    }
    return undefined;
  }

  add(call: Call): void {
    this.#calls.set(call.id, call);
  }

  /** Removes a call that will not be answered: its frame says so, or nobody waits for it any more. */
  delete(call: Call): void {
    if (this.#calls.delete(call.id)) this.#left();
  }

  /** Removes a call that its caller gave up. */
  giveUp(call: Call): void {
    this.failed++;
    if (call.frame?.passed !== undefined) this.#givenUp.add(call.frame);
    this.delete(call);
  }

  /** Settles a call that was answered; false where nobody waits for it. */
  answer(id: number, outcome: Outcome): boolean {
    if (this.#givenUp.size > 0) this.#wereRead(id);
    return this.settle(id, outcome);
  }

  /** Frames are read in order: where a call was answered, those before it were not refused. */
  #wereRead(id: number): void {
    for (const frame of this.#givenUp) if (frame.firstId <= id) this.#givenUp.delete(frame);
  }

  /** Settles a call; false where nobody waits for it. */
  settle(id: number, outcome: Outcome): boolean {
    const call = this.#calls.get(id);
    // An id that is not there was settled by a refusal of its frame; nobody waits for it.
    if (call === undefined) return false;
    this.#calls.delete(id);
    if (outcome.ok) this.succeeded++;
    else this.failed++;
    call.settle(outcome);
    call.frame!.passed = undefined;
    this.#left();
    return true;
  }

  refused(firstId: number, index: number, error: RpcError): void {
    for (const frame of this.#givenUp) if (frame.firstId === firstId) takeBackPassed(frame, error);
    this.#reject(({ id, frame }) => {
      if (frame?.firstId !== firstId) return undefined;
      takeBackPassed(frame, error);
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

  /** Settles the calls of a frame that is not sent. */
  reject(frame: OutgoingFrame, error: RpcError): void {
    takeBackPassed(frame, error);
    this.#reject((call) => (call.frame === frame ? error : undefined));
  }

  /**
   * Settles calls when the connection is lost: `mayHaveRun` says whether what was sent can have run. With `isResumed`, calls that
   * can be made over another connection stay, and their frames are returned.
   */
  lost(reason: RpcError, mayHaveRun: boolean, isResumed: boolean): ReadonlySet<OutgoingFrame> {
    const frames = new Set<OutgoingFrame>();
    this.#givenUp.clear();
    this.#reject((call) => {
      const { frame, isBound } = call;
      if (isResumed && frame !== undefined && !isBound) return void frames.add(frame);
      return mayHaveRun && frame?.sent ? outcomeUnknown(call, reason) : reason;
    });
    return frames;
  }

  /** Settles the calls for which there is an error. */
  #reject(errorOf: (call: Call) => RpcError | undefined): void {
    for (const call of this.#calls.values()) {
      const error = errorOf(call);
      if (error !== undefined) this.settle(call.id, { ok: false, error });
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
