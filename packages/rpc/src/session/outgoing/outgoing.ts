import type { Extension } from '@lumenize/structured-clone';
import { SENDS_AT_ANY_TIME } from '#platform';
import type { RpcError } from '../../errors/rpc-error.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { ACKNOWLEDGE, CANCEL, FORGET, LEAVE, RELEASE, type Signal } from '../../protocol/signal.ts';
import type { SessionSettings } from '../settings.ts';
import { atEndOfTurn } from '../turn.ts';
import type { Call, OutgoingFrame, Passed, WhenSettled } from './call.ts';
import { CallTable } from './call-table.ts';
import { CallWriter } from './call-writer.ts';
import { limitCall } from './limit-call.ts';
import type { Node } from './node.ts';
import { outcomeOfBase } from './outcome.ts';
import { goOn } from './settled-node.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** What the calling half of a session needs of it. */
export interface OutgoingHost {
  readonly settings: SessionSettings;
  /** Whether the other side keeps nothing beyond a frame. */
  readonly isStateless: boolean;
  /** Ids of calls begin above this. */
  readonly firstId: number;
  /** Says how an argument travels that the codec does not carry; undefined where it does not. */
  extendArgument(value: object): Extension | undefined;
  /**
   * Told after an operation was written, or failed to be; `settled` tells when its call settles. Returns what was sent with it
   * by reference, if anything was.
   */
  written(kept: boolean, settled?: WhenSettled): readonly Passed[] | undefined;
  /** Sends a frame that was finished, as soon as it can be. */
  sendCalls(frame: OutgoingFrame): void;
}

/** The half of a session that makes calls: a turn's calls leave as one frame, and all of them settle. */
export class Outgoing {
  readonly table = new CallTable();
  readonly #host: OutgoingHost;
  #writer: CallWriter | undefined;
  /** Ids of references that are no longer held, each with its count. */
  readonly #released: number[] = [];
  /** Ids of steps that are no longer needed. */
  readonly #forgotten: number[] = [];
  /** Calls whose results the other side has stored, by their ids; those that nobody uses any more are undefined. */
  readonly #stored = new Map<number, Call | undefined>();
  /** What was said of that, each with its frame, and the id of the call whose answer shows that it has been read. */
  #acknowledged: { readonly ids: readonly number[]; readonly frame: OutgoingFrame; readonly shownBy: number }[] = [];
  #hasStored = false;
  /** Whether calls have settled whose results may have been stored without word of it. */
  #hasUnknown = false;
  #flushing = false;
  readonly #waiting = new WaitingCalls(() => this.#soon());
  /** Frames whose calls nobody holds any more: then nobody can go on from their steps. */
  #collected: FinalizationRegistry<readonly number[]> | undefined;

  constructor(host: OutgoingHost) {
    this.#host = host;
  }

  /** Calls that have not settled. */
  get size(): number {
    return this.table.size + this.#waiting.size;
  }

  /** Bytes of what has been written and not sent. */
  get unsentBytes(): number {
    return this.#writer?.size ?? 0;
  }

  /** Says where the operation being written finds what a stub stands for. */
  address(node: Node): number {
    return this.#getWriter().address(node);
  }

  /** Makes an operation; arguments are undefined for reading a property. Never throws: a failure is the call's outcome. */
  call(node: Node, args: unknown[] | undefined): Call {
    if (node.options === undefined) return this.#make(node, args);
    const limit = node.options.limit ?? limitCall;
    return limit(
      node,
      () => this.#make(node, args),
      (call, reason) => this.#giveUp(call, reason),
    );
  }

  /** Appends a signal to the turn's frame; throws where its content cannot be sent. */
  signal(signal: Signal): void {
    this.#getWriter().signal(signal);
    this.#soon();
  }

  /** Tells the other side that a reference is no longer held; `collected` where garbage collection found that out. */
  release(id: number, count: number, collected: boolean): void {
    this.#released.push(id, count);
    this.#soonUnless(collected);
  }

  /**
   * Notes that the other side has stored a result that arrives now, or that of a step. It is told with what is sent next, but
   * not before all calls have settled that use it, and the step itself where it is awaited by now: these may be made again.
   */
  stored(id: number): void {
    this.#hasStored = true;
    const call = this.table.get(id);
    const frame = call === undefined ? this.table.frameOf(id) : undefined;
    const stored = call ?? frame?.steps?.find((step) => step.id === id);
    // Of a call that has settled before, this is known.
    if (this.#stored.has(id) || (stored === undefined && frame !== undefined)) return;
    if (stored !== undefined) stored.isStored = true;
    this.#stored.set(id, stored?.isUsed ? stored : undefined);
  }

  /** Tells the other side that nothing will come any more, where it has stored something, or may with `mayStore`. */
  leave(mayStore: boolean): void {
    this.#stored.clear();
    if (this.#hasStored || (mayStore && (this.#hasUnknown || this.table.size > 0))) this.signal([LEAVE]);
  }

  /** Lets go of the result of a call. */
  disposeResult({ made: call }: Call): void {
    if (call.isKept) return this.#forget([call.id], false);
    call.promise().then(
      (value) => (value as Partial<Disposable> | undefined)?.[Symbol.dispose]?.(),
      () => {}, // what failed has nothing to let go of
    );
  }

  /** Notes that a frame of an earlier connection is sent over this one, and that what it leads to is of this one. */
  sentAgain(frame: OutgoingFrame): void {
    frame.life = this.#getWriter().life;
  }

  /** Sends what has been written. */
  flush(): void {
    this.#flushing = false;
    if (this.#released.length > 0) this.#getWriter().signal([RELEASE, ...this.#released.splice(0)]);
    if (this.#forgotten.length > 0) this.#getWriter().signal([FORGET, ...this.#forgotten.splice(0)]);
    const ids = this.#stored.size > 0 ? this.#acknowledge() : [];
    const frame = this.#writer?.finish((finished, steps) => this.#keepSteps(finished, steps));
    if (frame === undefined) return;
    const { firstId, answered, steps = [] } = frame;
    if (ids.length > 0) {
      this.#acknowledged.push({ ids, frame, shownBy: firstId + Math.max(answered + steps.length, 1) - 1 });
    }
    this.#host.sendCalls(frame);
  }

  /** Settles a call by its answer; false where nobody waits for it. */
  answer(id: number, outcome: Outcome): boolean {
    while (this.#acknowledged[0]?.shownBy <= id) {
      const { ids, frame } = this.#acknowledged.shift()!;
      // All of its calls were given up while it waited.
      if (!frame.sent) this.#sayAgain(ids);
    }
    return this.table.answer(id, outcome);
  }

  #acknowledge(): number[] {
    const ids: number[] = [];
    for (const [id, call] of this.#stored) {
      if (call?.isUsed || this.table.get(id) !== undefined) continue;
      if (call !== undefined) call.isOver = true;
      this.#stored.delete(id);
      ids.push(id);
    }
    if (ids.length > 0) this.#getWriter().signal([ACKNOWLEDGE, ...ids]);
    return ids;
  }

  /** Has it said with what is sent next which results have arrived: to say so twice does no harm. */
  #sayAgain(ids: readonly number[]): void {
    for (const id of ids) this.#stored.set(id, undefined);
  }

  /**
   * Settles calls when the connection is lost: `mayHaveRun` says whether what was sent can have run. With `isResumed` only
   * those that cannot be made over another connection; the frames of the others are returned.
   */
  lost(reason: RpcError, mayHaveRun: boolean, isResumed: boolean): ReadonlySet<OutgoingFrame> {
    // What is still being written must not be sent over the next connection as it is.
    this.#writer?.lost(isResumed ? (frame, steps) => this.#keepSteps(frame, steps) : undefined);
    this.#released.length = this.#forgotten.length = 0;
    this.#hasUnknown ||= mayHaveRun && this.table.size > 0;
    for (const { ids } of this.#acknowledged.splice(0)) this.#sayAgain(ids);
    return this.table.lost(reason, mayHaveRun, isResumed);
  }

  #make(node: Node, args: unknown[] | undefined): Call {
    const waiting = this.#waiting;
    const outcome = outcomeOfBase(node);
    if (outcome === undefined && waiting.isBlocked) return waiting.behind(node, args);
    try {
      if (outcome !== undefined) return goOn((...call) => this.#make(...call), node, args, outcome);
      return this.#write(node, args);
    } catch (error) {
      this.#host.written(false);
      return waiting.unwritten(error, node, args);
    }
  }

  #write(node: Node, args: unknown[] | undefined): Call {
    const writer = this.#getWriter();
    const call = writer.write(node, args);
    const passed = this.#host.written(true, (listener) => call.onSettled(listener));
    if (passed !== undefined) writer.bind(call, passed);
    this.table.add(call);
    if (writer.isFull) this.flush();
    else this.#soon();
    return call;
  }

  #giveUp(call: Call, reason: RpcError): void {
    const { frame } = call;
    if (frame !== undefined) {
      this.table.giveUp(call);
      this.#hasUnknown ||= frame.sent;
      if (!frame.life.lost && !this.#host.isStateless) this.signal([CANCEL, call.id, reason.code]);
    }
    call.settle({ ok: false, error: reason });
  }

  #keepSteps(frame: OutgoingFrame, steps: readonly Call[]): void {
    for (const step of steps) this.table.delete(step);
    this.#collected ??= new FinalizationRegistry((gone) => this.#forget(gone, true));
    this.#collected.register(
      frame,
      steps.map(({ id }) => id),
    );
  }

  /** Tells the other side that it need not keep the results of steps; it may have lost them with their connection. */
  #forget(steps: readonly number[], collected: boolean): void {
    if (this.#host.isStateless) return;
    this.#forgotten.push(...steps);
    this.#soonUnless(collected);
  }

  /** A Worker may not send when garbage collection calls: there, and on servers, it goes with what is sent next. */
  #soonUnless(collected: boolean): void {
    if (!collected || (SENDS_AT_ANY_TIME && this.#host.settings.side === 'client')) this.#soon();
  }

  #getWriter(): CallWriter {
    this.#writer ??= new CallWriter(
      this.#host.settings.createCallEncoder((value) => this.#host.extendArgument(value), this.#waiting.bodies),
      this.#host.settings.side === 'server',
      this.#host.firstId + 1,
    );
    return this.#writer;
  }

  /** Sends when the turn has ended. */
  #soon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    atEndOfTurn(() => {
      if (this.#flushing) this.flush();
    });
  }
}
