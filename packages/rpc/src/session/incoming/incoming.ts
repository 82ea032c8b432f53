import type { Bodies, EncodeOptions, Extension } from '@lumenize/structured-clone';
import { createTurns } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import { type Address, keptAt } from '../../protocol/address.ts';
import { needsBodies } from '../../protocol/errors.ts';
import { FrameWriter, FULL_SIZE } from '../../protocol/frame-writer.ts';
import type { CallFrame, Operation, RefusedFrame } from '../../protocol/operation.ts';
import {
  type Outcome,
  outcomeEntry,
  type Pending,
  refusedEntry,
  STORED_STEP_ENTRY,
} from '../../protocol/result-frame.ts';
import { readCancelled } from '../../protocol/signal.ts';
import { REVERSED } from '../../protocol/tags.ts';
import { type Bounds, type Waiting, waitingOf } from '../admission.ts';
import type { Answers, ReceivedArgument } from '../extension.ts';
import { capture } from '../outgoing/waiting-calls.ts';
import { isTarget } from '../references/by-reference.ts';
import { References } from '../references/references.ts';
import type { Session } from '../session.ts';
import { atEndOfTurn } from '../timer.ts';
import { extend, written } from '../travelling.ts';
import { type CallContext, givenUp, type RunningCall } from './call-context.ts';
import { runBehind } from './current-call.ts';
import { wasThrown } from './thrown.ts';
import { cancel, type Turns, type Work } from './turns.ts';
import { letGoOfValue, unsendable } from './unsent.ts';

/**
 * The half of a session that answers calls. It holds the running calls of the peer, the values kept for the peer, and
 * the results that are ready to be sent.
 */
export class Incoming implements Answers, Pick<EncodeOptions, 'bodies' | 'errorStacks' | 'extend'> {
  readonly session: Session;
  /**
   * The number of the connection, which changes when the connection is gone. Over the next connection, the same ids
   * mean other calls.
   */
  life: number;
  readonly waiting: Waiting;
  readonly bounds: Bounds | undefined;
  readonly turns: Turns | undefined;
  /** Created on first use: of thousands of connections that are mostly idle, few need it. */
  #running: Map<number, RunningCall> | undefined;
  /** The values in the arguments of calls that have not ended, by the id of the call. */
  #arguments: Map<number, ReceivedArgument[]> | undefined;
  /**
   * The frame to send. Results that are ready together leave in one frame. Undefined if there are none, so that idle
   * connections keep no frame.
   */
  #frame: FrameWriter | undefined;
  /** The bytes read from Blobs and similar objects in the result being written. */
  bodies: Bodies | undefined;
  #isFlushing: boolean;
  /** True if results are in the frame. Notes about stored steps do not count: they are sent together with results. */
  #hasResults: boolean;

  constructor(session: Session) {
    this.session = session;
    this.waiting = waitingOf(session);
    this.bounds = session.bounds;
    this.turns = (session.createTurns ?? createTurns)?.(this);
    this.life = 0;
    this.#isFlushing = this.#hasResults = false;
  }

  get references(): References {
    return this.session.state(References);
  }

  /** True if results tell where errors were thrown: an option of frame writers, like `bodies` and `extend`. */
  get errorStacks(): boolean {
    return this.session.settings.errorStacks;
  }

  /** Returns the encoded form of a value that travels by reference; undefined for other values. */
  extend(value: object): Extension | undefined {
    return extend(this.session, value);
  }

  /**
   * Runs the operations of a frame, and sends their results. Runs them at once, unless other work must be waited for.
   */
  take(run: Work): void {
    const { turns } = this;
    if (turns !== undefined) turns.take(run);
    else while (!run.isDone) run.go();
    if (!turns?.isBrief) this.flush();
  }

  /** Forgets the values in the arguments of the frame that was read last, whose first call has this id. */
  forget(firstId: number): void {
    for (const callId of this.#arguments?.keys() ?? []) {
      if (callId >= firstId) this.#ended(callId, true, true, true);
    }
  }

  /** Refuses a frame of which nothing runs. */
  refuseUnread({ firstId, index, cause }: RefusedFrame): void {
    for (const state of this.session.states) state.handled?.(false);
    this.#begin().write(refusedEntry(index, cause), firstId);
    this.#hasResults = true;
    this.flush();
    this.session.onRefused?.(cause, undefined);
  }

  /** Gives up calls that the peer no longer waits for, by the signals of a frame that `run` is about to run. */
  giveUp({ signals }: CallFrame, run: Work): void {
    const given = readCancelled(signals);
    for (const [id, code] of given) {
      const values = this.#arguments?.get(id) ?? [];
      const call = this.#running?.get(id);
      if (call !== undefined || values.length > 0) {
        const reason = givenUp(code);
        for (const value of values) value.givenUp?.(reason);
        call?.abort(reason);
      }
    }
    if (given.length === 0) return;
    cancel(run, given);
    this.turns?.cancel(given);
  }

  /** Aborts all running calls, because the connection is gone and nobody waits for them. */
  lost(reason: RpcError): void {
    const running = this.#running;
    // Calls that have arrived and are not running will never run.
    for (const callId of this.#arguments?.keys() ?? []) {
      if (!running?.has(callId)) this.#ended(callId, true, false, true);
    }
    // The calls of a client have new ids over its next connection. Those of a server begin again.
    if (this.session.settings.side === 'client') this.#arguments = undefined;
    for (const call of running?.values() ?? []) call.abort(reason);
    running?.clear();
    // The collected results are dropped: over the next connection, their ids would mean other calls.
    this.life++;
    this.#hasResults = false;
    this.#frame?.finish();
    this.turns?.clear();
  }

  /** Notes that a frame waits, until `waited` is called for it. */
  waits(frame: CallFrame): void {
    this.session.started?.();
    this.waiting.hold(frame);
  }

  waited(frame: CallFrame): void {
    this.waiting.letGo(frame);
    this.session.finished?.();
  }

  /** Returns the outcome of a value that was sent to the peer before, or kept for it. */
  kept(address: Address): Pending {
    const pending = this.references.exports.get(address);
    if (pending !== undefined) return pending;
    const isResult = keptAt(address)!.kind === 'result';
    const [what, hint] = isResult
      ? ['the result of a step', 'await it in its turn']
      : ['what the stub stood for', 'get it anew'];
    return { ok: false, error: new RpcError('REFERENCE_LOST', `${what} is no longer there: ${hint}`) };
  }

  /** Returns the running call with this id. */
  running(id: number): RunningCall | undefined {
    return this.#running?.get(id);
  }

  /** Leaves a call running, and settles it when it has ended. */
  leaveRunning(pending: Promise<Outcome>, operation: Operation, call: RunningCall, frame: CallFrame): void {
    const { callId } = call;
    const { waiting } = this;
    this.waits(frame);
    waiting.count(1);
    this.#running ??= new Map();
    const running = this.#running;
    running.get(callId)?.abort(new RpcError('ID_REUSED', `another call has the id ${callId}`));
    running.set(callId, call);
    call.pending = pending;
    pending.then((outcome) => {
      this.finish(outcome, operation, call);
      waiting.count(-1);
      if (running.get(callId) === call) running.delete(callId);
      if (!this.turns?.isBrief) this.flushSoon();
      this.waited(frame);
    });
  }

  /** Answers a call that has ended, if the peer waits for it, and releases the values that were passed to the call. */
  finish(outcome: Outcome, { answered, path }: Operation, call: RunningCall): void {
    if (answered) this.answer(call, path, outcome);
    else this.#addStep(call, outcome);
    // Over the next connection of a client, the id means another call.
    const isOther = call.life !== this.life && this.session.settings.side === 'client';
    if (this.#arguments === undefined || isOther) return;
    this.#ended(call.callId, answered, call.hasRun && (outcome.ok || wasThrown(outcome.error)));
  }

  noteArgument(callId: number, value: ReceivedArgument): void {
    this.#arguments ??= new Map();
    const values = this.#arguments.get(callId);
    if (values === undefined) this.#arguments.set(callId, [value]);
    else values.push(value);
  }

  /** Called when a call has all that it waited for, just before its method runs. */
  begins(callId: number): void {
    if (this.#arguments === undefined) return;
    for (const value of this.#arguments.get(callId) ?? []) value.begun?.();
  }

  #ended(callId: number, isAnswered: boolean, hasRun: boolean, isForgotten = false): void {
    const values = this.#arguments?.get(callId) ?? [];
    this.#arguments?.delete(callId);
    for (const value of values) value.ended(isAnswered, hasRun, isForgotten);
  }

  /**
   * Writes the outcome of a call into the frame. If the outcome cannot be sent, writes an error in its place: every
   * call is answered while its connection exists. With `read`, the outcome was given before: this is its entry, and the
   * bytes of the Blobs and similar objects in it have been read since.
   */
  answer(call: RunningCall, path: readonly string[], settled: Outcome, read?: unknown[]): void {
    const session = this.session;
    const { callId, observation, resumeAfter } = call;
    let outcome = settled;
    if (read === undefined) {
      if (outcome.ok) session.load.succeeded++;
      else session.load.failed++;
      // Only servers receive frames that are sent again.
      if (resumeAfter !== undefined) outcome = session.resume!(outcome, resumeAfter);
    }
    if (call.life !== this.life) return this.#discard(call, outcome, call.made);
    if (!outcome.ok && read === undefined) this.#tell(outcome.error, path, call);
    const frame = this.#begin();
    this.#hasResults = true;
    const before = frame.size;
    try {
      frame.write(read ?? outcomeEntry(outcome, call.isStored), callId);
      // Streams and generators in the value run on after the answer.
      if (session.made !== undefined) runBehind(call, () => written(session, true));
    } catch (error) {
      const isLater = read === undefined && needsBodies(error);
      written(session, false);
      if (isLater) return void this.#addRead(call, path, outcome);
      if (before > 0) {
        // It may fit into a frame of its own, as does the error if it cannot be sent. It has been counted and reported.
        this.flush(frame);
        return this.answer(call, path, outcome, read ?? outcomeEntry(outcome, call.isStored));
      }
      this.letGo(valueIn(outcome), call.made);
      call.made = undefined;
      const refusal: Outcome = { ok: false, error: this.#unsendable(call, path, outcome, error) };
      frame.write(outcomeEntry(refusal), callId);
      if (outcome.ok) outcome = refusal;
    }
    observation?.ended(outcome, frame.size - before);
    // First, because sending may end the connection, which lets go of what it retains.
    if (call.made?.length) this.letGo(undefined, call.made);
    // Reading the value may have caused the frame to be sent.
    if (frame !== this.#frame || frame.size > FULL_SIZE) this.flush(frame);
  }

  /**
   * Handles the outcome of a step, which nobody waits for. If the result is stored, the next frame of results says so,
   * ahead of the results that use it.
   */
  #addStep(call: RunningCall, outcome: Outcome): void {
    // A target that the step itself returned is released with the values that are kept.
    if (call.life !== this.life && !(outcome.ok && isTarget(outcome.value))) return this.#discard(call, outcome);
    if (call.isStored) this.#begin().write(STORED_STEP_ENTRY, call.callId);
    call.observation?.ended(outcome);
  }

  #begin(): FrameWriter {
    this.#frame ??= new FrameWriter(this.session.settings.writing, this);
    return this.#frame;
  }

  #discard(call: RunningCall, outcome: Outcome, made?: readonly object[]): void {
    this.letGo(valueIn(outcome), made);
    call.observation?.ended(outcome);
  }

  letGo(value: unknown, made?: readonly object[]): void {
    const { settings } = this.session;
    letGoOfValue(value, settings.tables.types, (target) => this.references.letGo(target), made);
  }

  /** Sends the results that have been collected. */
  flush(frame: FrameWriter | undefined = this.#frame): void {
    const { session } = this;
    if (frame === this.#frame) {
      if (!this.#hasResults) return;
      // Events that a method published must arrive before its result, unless the result is the subscription to them.
      session.load.sendEvents?.();
      if (!this.#hasResults) return;
      this.#frame = undefined;
      this.#hasResults = false;
    }
    if (!frame?.size) return;
    const head = session.settings.side === 'client' ? [REVERSED, frame.first] : [frame.first];
    // Calls that a method made before it returned must arrive before its result.
    session.flush();
    session.send(frame.finish(...head));
  }

  /** Sends at the end of the turn, so that calls that end together are answered together. */
  flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    atEndOfTurn(() => {
      this.#isFlushing = false;
      this.flush();
    });
  }

  /**
   * Writes the outcome of a call, as it is now, after reading the bytes of the Blobs, Responses and similar objects in
   * it.
   */
  async #addRead(call: RunningCall, path: readonly string[], settled: Outcome): Promise<void> {
    const session = this.session;
    const { readBodies, types } = session.settings.tables;
    const done = session.busy?.();
    let outcome = settled;
    let entry: unknown[];
    try {
      entry = capture(outcomeEntry(settled, call.isStored), types)();
      // The extension that carries such values has it.
      this.bodies = await readBodies!(entry);
    } catch (error) {
      this.letGo(valueIn(settled), call.made);
      call.made = undefined;
      outcome = { ok: false, error: this.#unsendable(call, path, settled, error) };
      entry = outcomeEntry(outcome);
    }
    this.answer(call, path, outcome, entry);
    this.bodies = undefined;
    this.flushSoon();
    done?.();
  }

  /** Reports why an outcome cannot be sent, and returns the error to send in its place. */
  #unsendable(call: RunningCall, path: readonly string[], outcome: Outcome, error: unknown): RpcError {
    const name = path.join('.');
    this.session.onError(error, name, call);
    if (outcome.ok && error instanceof RpcError) this.session.onRefused?.(error, name);
    return unsendable(name, outcome, error);
  }

  #tell(error: unknown, path: readonly string[], call: CallContext): void {
    const name = path.join('.');
    if (wasThrown(error)) this.session.onError(error, name, call);
    else this.session.onRefused?.(error as RpcError, name, call);
  }
}

function valueIn(outcome: Outcome): unknown {
  return outcome.ok ? outcome.value : outcome.error;
}
