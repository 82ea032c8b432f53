import { RpcError } from '../../errors/rpc-error.ts';
import { needsBodies } from '../../protocol/errors.ts';
import type { RefusedFrame } from '../../protocol/frame-reader.ts';
import { type FrameWriter, FULL_SIZE } from '../../protocol/frame-writer.ts';
import type { Operation } from '../../protocol/operation.ts';
import { type Outcome, outcomeEntry, refusedEntry, STORED_STEP_ENTRY } from '../../protocol/result-frame.ts';
import { REVERSED } from '../../protocol/tags.ts';
import type { Peer } from '../peer.ts';
import { isTarget } from '../references/by-reference.ts';
import { References } from '../references/references.ts';
import { atEndOfTurn } from '../turn.ts';
import type { CallContext, RunningCall } from './call-context.ts';
import { defectBehind, wasThrown } from './thrown.ts';
import { discard, unsendable } from './unsent.ts';

/** Collects results, so that those that are ready together leave in one frame. */
export class Replies {
  readonly #session: Peer;
  /** Undefined where nothing is to be sent: connections that idle keep none. */
  #frame: FrameWriter | undefined;
  /** What was read of Blobs and the like that the result being written holds. */
  readonly #bodies: Map<object, Uint8Array>;
  #flushing: boolean;
  /** Ids of steps whose results are stored. */
  #storedSteps: number[] | undefined;
  /** Stands for the connection: another one when that is gone. Over the next one, ids mean other calls. */
  life: number;

  constructor(session: Peer) {
    this.#session = session;
    this.#bodies = new Map();
    this.#flushing = false;
    this.life = 0;
  }

  /** Answers a call that has ended, where the other side waits for it, and lets go of what it was passed. */
  settle(outcome: Outcome, { answered, path }: Operation, call: RunningCall): void {
    if (answered) this.add(call, path, outcome);
    else this.#addStep(call, outcome);
    const { states } = this.#session;
    if (states.length === 0) return;
    const hasRun = call.hasRun && (outcome.ok || wasThrown(outcome.error));
    for (const state of states) state.callEnded?.(call.callId, answered, hasRun);
  }

  /**
   * Adds what became of a call. Where that cannot be sent, an error saying so takes its place: every call is answered whose
   * connection is still there. With `isRead` it was given before, and the bytes of its Blobs and the like have been read since.
   */
  add(call: RunningCall, path: readonly string[], settled: Outcome, isRead = false): void {
    const session = this.#session;
    const { callId, observation, resumeAfter } = call;
    let outcome = settled;
    if (!isRead) {
      if (outcome.ok) session.load.succeeded++;
      else session.load.failed++;
      // Frames that are sent again come to servers only.
      if (resumeAfter !== undefined) outcome = session.resume!(outcome, resumeAfter);
    }
    if (call.life !== this.life) return this.#discard(call, outcome);
    if (!outcome.ok && !isRead) this.#tell(outcome.error, path, call);
    const frame = this.#begin();
    for (const id of this.#storedSteps?.splice(0) ?? []) frame.write(STORED_STEP_ENTRY, id);
    const before = frame.size;
    try {
      frame.write(outcomeEntry(outcome, call.isStored), callId);
      session.openTravelling?.written(true);
    } catch (error) {
      const isLater = !isRead && needsBodies(error);
      // Before what was sent of it is taken back, which lets go of the rest.
      if (!isLater) this.#letGo(outcome);
      session.openTravelling?.written(false);
      if (isLater) return void this.#addRead(call, path, outcome);
      const refusal: Outcome = { ok: false, error: this.#unsendable(call, path, outcome, error) };
      frame.write(outcomeEntry(refusal), callId);
      if (outcome.ok) outcome = refusal;
    }
    observation?.ended(outcome, frame.size - before);
    // Reading the value may have had the frame sent.
    if (frame !== this.#frame || frame.size > FULL_SIZE) this.flush(frame);
  }

  /** Takes what became of a step, for which nobody waits: that it is stored is told with the next result, and before those that use it. */
  #addStep(call: RunningCall, outcome: Outcome): void {
    // What the step itself returned is let go of with what is kept.
    if (call.life !== this.life && !(outcome.ok && isTarget(outcome.value))) return this.#discard(call, outcome);
    if (call.isStored) {
      if (this.#frame?.size) this.#frame.write(STORED_STEP_ENTRY, call.callId);
      else {
        this.#storedSteps ??= [];
        this.#storedSteps.push(call.callId);
      }
    }
    call.observation?.ended(outcome);
  }

  #begin(): FrameWriter {
    const session = this.#session;
    this.#frame ??= session.settings.createWriter((value) => session.travelling.extend(value), this.#bodies);
    return this.#frame;
  }

  #discard(call: RunningCall, outcome: Outcome): void {
    this.#letGo(outcome);
    call.observation?.ended(outcome);
  }

  #letGo(outcome: Outcome): void {
    const session = this.#session;
    discard(valueIn(outcome), session.settings.tables.types, (target) => session.state(References).letGo(target));
  }

  /** Answers a frame of which nothing ran. */
  refuse({ firstId, index, cause }: RefusedFrame): void {
    this.#begin().write(refusedEntry(index, cause), firstId);
    this.flush();
    this.#session.onRefused(cause, undefined);
  }

  /** Sends what has been collected. */
  flush(frame: FrameWriter | undefined = this.#frame): void {
    if (frame === this.#frame) this.#frame = undefined;
    const session = this.#session;
    if (!frame?.size) return;
    const head = session.settings.side === 'client' ? [REVERSED, frame.first] : [frame.first];
    session.sendReplies(frame.finish(...head));
  }

  /** Drops what has been collected: the connection is gone, and the ids would mean other calls over the next one. */
  clear(): void {
    this.life++;
    this.#storedSteps = undefined;
    this.#frame?.finish();
  }

  /** Sends after all jobs that are ready, so that methods that end together are answered together. */
  flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    atEndOfTurn(() => {
      this.#flushing = false;
      this.flush();
    });
  }

  /** Adds what became of a call once the bytes of Blobs, Responses and the like in it have been read. */
  async #addRead(call: RunningCall, path: readonly string[], settled: Outcome): Promise<void> {
    const session = this.#session;
    session.started();
    let outcome = settled;
    try {
      // In a list, as results are in a frame: so paths in errors begin alike.
      const bodies = await session.settings.tables.readBodies([valueIn(settled)]);
      for (const [holder, bytes] of bodies) this.#bodies.set(holder, bytes);
    } catch (error) {
      outcome = { ok: false, error: this.#unsendable(call, path, settled, error) };
    }
    this.add(call, path, outcome, true);
    this.#bodies.clear();
    this.flushSoon();
    session.finished();
  }

  /** Tells why an outcome cannot be sent, and returns the error in its place. */
  #unsendable(call: RunningCall, path: readonly string[], outcome: Outcome, error: unknown): RpcError {
    const name = path.join('.');
    this.#session.onError(error, name, call);
    if (!outcome.ok) {
      const thrown = outcome.error;
      // Code and message are what callers decide by; data is beside it.
      if (thrown instanceof RpcError) return new RpcError(thrown.code, thrown.message);
      return unsendable('what was thrown', name, error, thrown);
    }
    if (error instanceof RpcError) this.#session.onRefused(error, name);
    return unsendable('the result', name, error);
  }

  #tell(error: unknown, path: readonly string[], call: CallContext): void {
    const name = path.join('.');
    const behind = defectBehind(error);
    if (behind !== undefined) this.#session.onError(behind.defect, name, call);
    if (wasThrown(error)) this.#session.onError(error, name, call);
    else this.#session.onRefused(error as RpcError, name);
  }
}

function valueIn(outcome: Outcome): unknown {
  return outcome.ok ? outcome.value : outcome.error;
}
