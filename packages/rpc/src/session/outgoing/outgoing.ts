import { SENDS_AT_ANY_TIME } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import { type Address, stepAddress } from '../../protocol/address.ts';
import { isTooLarge } from '../../protocol/errors.ts';
import { FrameWriter, FULL_SIZE } from '../../protocol/frame-writer.ts';
import type { OperationEntry } from '../../protocol/operation.ts';
import { CANCEL, FORGET, RELEASE, type Signal, STEPS, withSignals } from '../../protocol/signal.ts';
import { REVERSED } from '../../protocol/tags.ts';
import type { ExtensionState, StoredResults } from '../extension.ts';
import { extend, type TravelHost, written } from '../travelling.ts';
import { Call, type Deliver, type OutgoingFrame, outgoingFrame, pass } from './call.ts';
import { CallTable } from './call-table.ts';
import { type CallOptions, continueFromResult, type Node } from './node.ts';
import { NotSettled, WaitingCalls } from './waiting-calls.ts';

/** A frame with this many operations is full, however small they are. */
const FULL_OPERATIONS = 4096;

/** The part of a session that its calling half needs. */
export interface OutgoingHost extends TravelHost {
  /** True if the peer keeps nothing beyond a frame. */
  readonly isStateless: boolean;
  /** The ids of calls begin above this number. */
  readonly firstId: number;
  /** The states of extensions. Everything that they have written before a call is sent before it. */
  readonly states: readonly ExtensionState[];
  /** Sends a finished frame as soon as possible. */
  sendCalls(frame: OutgoingFrame): void;
}

/**
 * The half of a session that makes calls. Each call is written when it is made, so that later changes to its arguments
 * have no effect. The calls of a turn leave in one frame.
 */
export class Outgoing {
  readonly table = new CallTable();
  readonly #host: OutgoingHost;
  readonly waiting: WaitingCalls;
  /** Tracks the results that the peer has stored. */
  readonly results: StoredResults | undefined;
  readonly deliver: Deliver | undefined;
  readonly #writer: FrameWriter;
  #nextId: number;
  /** The number of the connection that calls are written for, counted from 0. */
  life = 0;
  /** The frame that is being written; `#calls` are its calls. */
  #frame: OutgoingFrame | undefined;
  #calls: Call[] = [];
  /** The calls whose results the operation being written uses. */
  #uses: Call[] = [];
  /** True if the operation being written uses something that exists only on this connection. */
  #isBound = false;
  /**
   * True while an operation is being written. Calls that getters of its arguments make come behind it, because its
   * references to steps depend on its place in the frame.
   */
  #isWriting = false;
  /** Further signals for the next frame: lists of ids, by the kind of the signal. */
  readonly #pendingSignals = new Map<number, number[]>();
  /** True if the written content will be sent when the turn has ended. */
  #isScheduled = false;
  /** Finds frames whose calls were collected, so that the results of their steps are out of use. */
  #collected: FinalizationRegistry<readonly number[]> | undefined;

  constructor(host: OutgoingHost) {
    this.#host = host;
    this.waiting = new WaitingCalls(host.settings.tables);
    this.#nextId = host.firstId + 1;
    this.results = host.settings.tables.exactlyOnce?.(this);
    this.deliver = host.settings.tables.deliver;
    const { errorStacks, writing } = host.settings;
    this.#writer = new FrameWriter(writing, {
      extend: (value) => extend(host, value, true),
      bodies: this.waiting.bodies,
      errorStacks,
    });
  }

  /** The number of calls that have not settled. */
  get size(): number {
    return this.table.size + this.waiting.size;
  }

  /** The size of the content that was written and not sent: UTF-16 units of text, plus the bytes behind it. */
  get unsentBytes(): number {
    return this.#writer.size;
  }

  /**
   * Makes an operation. `args` is undefined for reading a property. Never throws: a failure becomes the outcome of the
   * call.
   */
  call(call: Call, node: Node, args: unknown[] | undefined): void {
    const { base, path, options } = node;
    const { queue } = this.waiting;
    if (this.#isWriting) return this.waiting.after(Promise.resolve(), call, node, args);
    for (const state of this.#host.states) state.flush?.();
    try {
      if (base instanceof Call && base.outcome !== undefined)
        return continueFromResult(call, node, args, this.#host.settings.tables);
      if (queue !== undefined) return void queue.push(this.waiting.later(call, node, args));
      this.#frame ??= outgoingFrame(this.#nextId, this.life, this);
      // A call that failed may have left some behind.
      if (this.#uses.length > 0) this.#uses = [];
      this.#isBound = false;
      const entry: OperationEntry = [base === undefined ? 0 : this.address(node), path.length === 1 ? path[0] : path];
      if (args !== undefined) entry.push(args);
      if (options !== undefined) addTerms(entry, options);
      this.#isWriting = true;
      this.#writer.write(entry);
      this.#isWriting = false;
      const frame = this.#frame;
      call.id = frame.lastId = this.#nextId++;
      call.frame = frame;
      if (this.#uses.length > 0) {
        call.use(this.#uses);
        // The list is not kept, so that results which nobody else holds can be released.
        this.#uses = [];
      }
      const passed = this.#host.made && written(this.#host, true, call);
      if (passed !== undefined) pass(frame, passed);
      if (this.#isBound || passed !== undefined) call.isBound = frame.isBound = true;
      if (args === undefined && base instanceof Call && base.isKept) call.reads = node;
      this.#calls.push(call);
      this.table.set(call.id, call);
      if (this.#writer.size > FULL_SIZE || this.#calls.length >= FULL_OPERATIONS) this.flush();
      else this.#soon();
    } catch (error) {
      this.#isWriting = false;
      written(this.#host, false);
      if (this.#writer.size === 0 || !isTooLarge(error)) return this.waiting.unwritten(error, call, node, args);
      // It may fit into a frame of its own.
      this.flush();
      this.call(call, node, args);
    }
  }

  /** Returns the address by which the operation being written refers to the value of a stub of the same session. */
  address({ base }: Node): Address {
    if (base === undefined) return 0;
    if (!(base instanceof Call)) {
      this.#isBound = true;
      return base.address();
    }
    const { frame } = base;
    const isHere = frame !== undefined && frame === this.#frame;
    // A settled call does not get here: operations on it continue from its result.
    if (!isHere && !base.isKept) throw new NotSettled(base);
    if (!isHere && frame!.life !== this.life) {
      // If the step is sent again for a call that uses it, the peer will keep its result again.
      if (base.isUsed) throw new NotSettled(base);
      throw new RpcError('REFERENCE_LOST', `the result of ${base.name}() is gone: its connection was lost`);
    }
    this.#uses.push(base);
    if (!isHere || base.isBound) this.#isBound = true;
    return isHere ? this.#nextId - base.id : stepAddress(base.id);
  }

  /**
   * Appends a signal about this connection to the frame of this turn. Throws if the content of the signal cannot be
   * sent.
   */
  signal(signal: Signal): void {
    this.append(signal).signals.push(signal);
    this.#soon();
  }

  /** Tells the peer that a reference is no longer held. `collected` is true if garbage collection found that out. */
  release(id: number, count: number, collected: boolean): void {
    this.#tell(RELEASE, [id, count], collected);
  }

  /**
   * Tells the peer that it need not keep the results of steps. The peer may have lost them already, with their
   * connection.
   */
  forget(ids: readonly number[], collected = false): void {
    if (!this.#host.isStateless) this.#tell(FORGET, ids, collected);
  }

  /** Tells the peer that nobody waits for a call any more. */
  giveUp(call: Call, reason: RpcError): void {
    const frame = call.frame!;
    this.table.failed++;
    this.table.delete(call.id);
    const signal: Signal = [CANCEL, call.id, reason.code];
    frame.givenUp.push([call, signal]);
    if (this.#host.isStateless) return;
    // It may be running again already, for the calls that use its result.
    if (call.isUsed || frame.life === this.life) this.signal(signal);
  }

  /**
   * Notes that a frame which has waited is sent over this connection, so that it and its steps belong to this
   * connection. Gives up its calls again that were given up before. If it is sent whole, those that no other call uses
   * never begin, nor do their steps.
   */
  noteResent(frame: OutgoingFrame, isWhole: boolean): void {
    const { givenUp, steps = [] } = frame;
    // The peer has forgotten what it was told before about a frame that was lost or refused.
    for (const [{ isUsed }, signal] of givenUp) if (isUsed) this.signal(signal);
    if (isWhole && givenUp.length > 0) {
      const idsOf = (calls: readonly Call[]) => calls.filter(({ isUsed }) => !isUsed).map(({ id }) => id);
      const gone = idsOf(steps);
      const signals = [...idsOf(givenUp.map(([call]) => call)), ...gone].map((id): Signal => [CANCEL, id, 'CANCELLED']);
      // A later call that uses such a step finds its result gone, and is not told that it was given up itself.
      if (gone.length > 0) signals.push([FORGET, ...gone]);
      frame.message = withSignals(frame.message!, signals);
    }
    frame.life = this.life;
    // If the calls of a frame were moved apart, its steps are still in the frame that they were written into.
    for (const step of steps) step.frame!.life = this.life;
  }

  /** Sends all calls and signals that have been written. */
  readonly flush = (): void => {
    if (this.#isWriting) return;
    for (const [kind, ids] of this.#pendingSignals) this.signal([kind, ...ids]);
    this.#isScheduled = false;
    this.#pendingSignals.clear();
    this.results?.write();
    const frame = this.#finish(true);
    if (frame === undefined) return;
    if (frame.passed !== undefined) this.table.unread.push(frame);
    this.#host.sendCalls(frame);
  };

  /**
   * Settles calls when the connection is lost. `mayHaveRun` is true if calls that were sent can have run. With
   * `isResumed`, settles only the calls that cannot be made over another connection.
   */
  lost(reason: RpcError, mayHaveRun: boolean, isResumed: boolean): void {
    if (isResumed) this.results?.lost();
    else this.waiting.reading?.fail(reason);
    this.life++;
    this.#finish(isResumed);
    this.#pendingSignals.clear();
    this.table.lost(reason, mayHaveRun, isResumed);
    // A frame that has something of the lost connection keeps the old number, so that it is not sent over the next
    // connection as it is.
    for (const frame of this.table.frames().keys()) {
      if (!frame.sent && !frame.isBound && frame.signals.length === 0) frame.life = this.life;
    }
  }

  /** Appends a signal to the frame that is being written, and returns that frame. */
  append(signal: Signal): OutgoingFrame {
    this.#frame ??= outgoingFrame(this.#nextId, this.life, this);
    this.#writer.write(signal);
    return this.#frame;
  }

  /**
   * Finishes the frame and returns it; returns undefined if nothing was written. With `isKept`, the peer keeps the
   * results of its steps.
   */
  #finish(isKept: boolean): OutgoingFrame | undefined {
    const frame = this.#frame;
    this.#frame = undefined;
    // Nothing is in a frame that began with a call that could not be written.
    if (frame === undefined || this.#writer.size === 0) return undefined;
    const steps = this.#calls.filter(({ isStep }) => isStep);
    if (steps.length > 0) {
      const ids = steps.map(({ id }) => id);
      this.#writer.write([STEPS, ...ids.map((id) => id - frame.firstId)]);
      frame.steps = steps;
      if (isKept) {
        for (const id of ids) this.table.delete(id);
        this.#forgetWith(frame, ids);
      }
    }
    frame.answered = this.#calls.length - steps.length;
    // Keeps the id of the frame unique, because a refusal refers to the frame by this id.
    if (this.#calls.length === 0) this.#nextId++;
    const isReversed = this.#host.settings.side === 'server';
    frame.message = isReversed ? this.#writer.finish(REVERSED, frame.firstId) : this.#writer.finish(frame.firstId);
    this.#calls = [];
    return frame;
  }

  /**
   * Forgets steps when their frame is collected. A separate method, so that the closure keeps no other variable alive.
   */
  #forgetWith(frame: OutgoingFrame, steps: readonly number[]): void {
    this.#collected ??= new FinalizationRegistry((gone) => this.forget(gone, true));
    this.#collected.register(frame, steps);
  }

  /** Adds ids to a signal of the next frame. */
  #tell(kind: number, ids: readonly number[], collected: boolean): void {
    const known = this.#pendingSignals.get(kind);
    if (known === undefined) this.#pendingSignals.set(kind, [...ids]);
    else known.push(...ids);
    // A Worker may not send in callbacks of garbage collection. There, and on servers, the signal waits for the next
    // frame.
    if (!collected || (SENDS_AT_ANY_TIME && this.#host.settings.side === 'client')) this.#soon();
  }

  /** Sends when the turn has ended, after the work of async functions that are resumed in it. */
  #soon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void Promise.resolve().then().then(this.flush);
  }
}

/** Adds the options of a call that travel with it. */
function addTerms(entry: OperationEntry, { timeoutMs, traceparent }: CallOptions): void {
  if (timeoutMs === undefined && traceparent === undefined) return;
  entry[2] ??= null;
  entry[3] = timeoutMs ?? null;
  if (traceparent !== undefined) entry[4] = traceparent;
}
