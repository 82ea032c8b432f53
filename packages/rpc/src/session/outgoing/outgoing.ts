import { SENDS_AT_ANY_TIME } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import { type Address, stepAddress } from '../../protocol/address.ts';
import { FrameWriter, FULL_SIZE } from '../../protocol/frame-writer.ts';
import type { OperationEntry } from '../../protocol/operation.ts';
import { CANCEL, FORGET, RELEASE, type Signal, STEPS } from '../../protocol/signal.ts';
import { REVERSED } from '../../protocol/tags.ts';
import type { ExtensionState, StoredResults } from '../extension.ts';
import type { SessionSettings } from '../settings.ts';
import type { Travelling } from '../travelling.ts';
import { Call, type Deliver, type OutgoingFrame, outgoingFrame, type Passing, pass } from './call.ts';
import { CallTable } from './call-table.ts';
import { type CallOptions, goOn, type Node } from './node.ts';
import { NotSettled, WaitingCalls } from './waiting-calls.ts';

/** A frame with so many operations is full, however small they are. */
const FULL_OPERATIONS = 4096;

/** Part of a session that its calling half needs. */
export interface OutgoingHost {
  readonly settings: SessionSettings;
  /** True if the other side keeps nothing beyond a frame. */
  readonly isStateless: boolean;
  /** Ids of calls begin above this. */
  readonly firstId: number;
  readonly travelling: Travelling;
  readonly openTravelling: Passing | undefined;
  /** States of extensions; what they have written before a call is sent before it. */
  readonly states: readonly ExtensionState[];
  /** Sends a frame that was finished, as soon as it can be. */
  sendCalls(frame: OutgoingFrame): void;
}

/**
 * The half of a session that makes calls. Each is written at the moment it is made, so that what happens to the arguments later
 * changes nothing; those of a turn leave as one frame.
 */
export class Outgoing {
  readonly table = new CallTable();
  readonly #host: OutgoingHost;
  readonly waiting: WaitingCalls;
  /** Results that the other side has stored. */
  readonly results: StoredResults | undefined;
  readonly deliver: Deliver | undefined;
  readonly #writer: FrameWriter;
  #nextId: number;
  /** The connection that calls are written for: the number of those before. */
  life = 0;
  /** The frame that is being written, and its calls. */
  #frame: OutgoingFrame | undefined;
  #calls: Call[] = [];
  /** Calls whose results the operation being written uses. */
  #uses: Call[] = [];
  /** True if it uses something that only this connection has. */
  #isBound = false;
  /** Further signals for the next frame: ids, by the kind of signal. */
  readonly #words = new Map<number, number[]>();
  /** True if what is written is sent when the turn has ended. */
  #isDue = false;
  /** Frames whose calls nobody holds any more: then nobody can go on from their steps. */
  #collected: FinalizationRegistry<readonly number[]> | undefined;

  constructor(host: OutgoingHost) {
    this.#host = host;
    this.waiting = new WaitingCalls(host.settings.tables);
    this.#nextId = host.firstId + 1;
    this.results = host.settings.tables.exactlyOnce?.(this);
    this.deliver = host.settings.tables.deliver;
    const { errorStacks, writing } = host.settings;
    const extend = (value: object) => host.travelling.extend(value, true);
    this.#writer = new FrameWriter(writing, { extend, bodies: this.waiting.bodies, errorStacks });
  }

  /** Calls that have not settled. */
  get size(): number {
    return this.table.size + this.waiting.size;
  }

  /** Size of what has been written and not sent: UTF-16 units of text, and bytes behind it. */
  get unsentBytes(): number {
    return this.#writer.size;
  }

  /** Makes an operation; arguments are undefined for reading a property. Never throws: a failure is the call's outcome. */
  call(call: Call, node: Node, args: unknown[] | undefined): void {
    const { base, path, options } = node;
    const { queue } = this.waiting;
    for (const state of this.#host.states) state.flush?.();
    try {
      if (base instanceof Call && base.outcome !== undefined)
        return goOn(call, node, args, base.outcome, this.#host.settings.tables);
      if (queue !== undefined) return void queue.push(this.waiting.later(call, node, args));
      this.#frame ??= outgoingFrame(this.#nextId, this.life, this);
      // Left behind by one that failed.
      if (this.#uses.length > 0) this.#uses = [];
      this.#isBound = false;
      const entry: OperationEntry = [base === undefined ? 0 : this.address(node), path.length === 1 ? path[0] : path];
      if (args !== undefined) entry.push(args);
      if (options !== undefined) addTerms(entry, options);
      this.#writer.write(entry);
      const frame = this.#frame;
      call.id = frame.lastId = this.#nextId++;
      call.frame = frame;
      if (this.#uses.length > 0) {
        call.use(this.#uses);
        // Not kept here: what nobody else holds is to be let go of.
        this.#uses = [];
      }
      const passed = this.#host.openTravelling?.written(true, call);
      if (passed !== undefined) pass(frame, passed);
      if (this.#isBound || passed !== undefined) call.isBound = frame.isBound = true;
      if (args === undefined && base instanceof Call && base.isKept) call.reads = node;
      this.#calls.push(call);
      this.table.set(call.id, call);
      if (this.#writer.size > FULL_SIZE || this.#calls.length >= FULL_OPERATIONS) this.flush();
      else this.#soon();
    } catch (error) {
      this.#host.openTravelling?.written(false);
      this.waiting.unwritten(error, call, node, args);
    }
  }

  /** Returns where the operation being written finds what a stub of the same session stands for. */
  address({ base }: Node): Address {
    if (base === undefined) return 0;
    if (!(base instanceof Call)) {
      this.#isBound = true;
      return base.address();
    }
    const { frame } = base;
    const isHere = frame !== undefined && frame === this.#frame;
    // One that has settled is gone on from where its result is, and does not come here.
    if (!isHere && !base.isKept) throw new NotSettled(base);
    if (!isHere && frame!.life !== this.life) {
      // Where it is sent again for what uses it, the other side keeps it again.
      if (base.isUsed) throw new NotSettled(base);
      throw new RpcError('REFERENCE_LOST', `the result of ${base.name}() is gone: its connection was lost`);
    }
    this.#uses.push(base);
    if (!isHere || base.isBound) this.#isBound = true;
    return isHere ? this.#nextId - base.id : stepAddress(base.id);
  }

  /** Appends a signal to the turn's frame; throws where its content cannot be sent. */
  signal(signal: Signal): void {
    this.append(signal);
    this.#soon();
  }

  /** Tells the other side that a reference is no longer held; `collected` where garbage collection found that out. */
  release(id: number, count: number, collected: boolean): void {
    this.#tell(RELEASE, [id, count], collected);
  }

  /** Tells the other side that it need not keep the results of steps; it may have lost them with their connection. */
  forget(ids: readonly number[], collected = false): void {
    if (!this.#host.isStateless) this.#tell(FORGET, ids, collected);
  }

  /** Tells the other side that nobody waits for a call any more. */
  giveUp(call: Call, reason: RpcError): void {
    const { life } = call.frame!;
    this.table.failed++;
    this.table.delete(call.id);
    if (life === this.life && !this.#host.isStateless) this.signal([CANCEL, call.id, reason.code]);
  }

  /** Notes that a frame of an earlier connection is sent over this one, and that what it leads to is of this one. */
  sentAgain(frame: OutgoingFrame): void {
    frame.life = this.life;
    // Of one whose calls went apart, steps are in the frame that they were written into.
    for (const step of frame.steps ?? []) if (step.frame !== undefined) step.frame.life = this.life;
  }

  /** Sends what has been written. */
  readonly flush = (): void => {
    this.#isDue = false;
    for (const [kind, ids] of this.#words) this.append([kind, ...ids]);
    this.#words.clear();
    this.results?.write();
    const frame = this.#finish(true);
    if (frame === undefined) return;
    if (frame.passed !== undefined) this.table.unread.push(frame);
    this.#host.sendCalls(frame);
  };

  /**
   * Settles calls when the connection is lost: `mayHaveRun` is true if what was sent can have run. With `isResumed` only
   * those that cannot be made over another connection.
   */
  lost(reason: RpcError, mayHaveRun: boolean, isResumed: boolean): void {
    if (isResumed) this.results?.lost();
    this.life++;
    // What is still being written must not be sent over the next connection as it is.
    if (this.#frame?.isBound === false) this.#frame.life = this.life;
    this.#finish(isResumed);
    this.#words.clear();
    this.table.lost(reason, mayHaveRun, isResumed);
  }

  /** Appends a signal to the frame that is being written, and returns that. */
  append(signal: Signal): OutgoingFrame {
    this.#frame ??= outgoingFrame(this.#nextId, this.life, this);
    this.#writer.write(signal);
    return this.#frame;
  }

  /** Ends the frame and returns it; undefined where nothing was written. With `isKept` the other side keeps the results of its steps. */
  #finish(isKept: boolean): OutgoingFrame | undefined {
    const frame = this.#frame;
    // One that begins with a call that could not be written is for what is written next.
    if (frame === undefined || this.#writer.size === 0) return undefined;
    const steps: Call[] = [];
    for (const call of this.#calls) if (call.isStep) steps.push(call);
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
    // So that it is the only frame with that id, which is what a refusal names.
    if (this.#calls.length === 0) this.#nextId++;
    const isReversed = this.#host.settings.side === 'server';
    frame.message = isReversed ? this.#writer.finish(REVERSED, frame.firstId) : this.#writer.finish(frame.firstId);
    this.#frame = undefined;
    this.#calls = [];
    return frame;
  }

  /** Has steps forgotten when their frame is collected. By itself, so that no other variable is kept with the function in it. */
  #forgetWith(frame: OutgoingFrame, steps: readonly number[]): void {
    this.#collected ??= new FinalizationRegistry((gone) => this.forget(gone, true));
    this.#collected.register(frame, steps);
  }

  /** Has the other side be told with what is sent next. */
  #tell(kind: number, ids: readonly number[], collected: boolean): void {
    const known = this.#words.get(kind);
    if (known === undefined) this.#words.set(kind, [...ids]);
    else known.push(...ids);
    // A Worker may not send when garbage collection calls: there, and on servers, it goes with what is sent next.
    if (!collected || (SENDS_AT_ANY_TIME && this.#host.settings.side === 'client')) this.#soon();
  }

  /** Sends when the turn has ended: after what an async function does that is resumed in it. */
  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    void Promise.resolve().then().then(this.flush);
  }
}

/** Adds what a caller says of a call beside its arguments. */
function addTerms(entry: OperationEntry, { timeoutMs, traceparent }: CallOptions): void {
  if (timeoutMs === undefined && traceparent === undefined) return;
  entry[2] ??= null;
  entry[3] = timeoutMs ?? null;
  if (traceparent !== undefined) entry[4] = traceparent;
}
