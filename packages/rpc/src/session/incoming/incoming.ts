import { asRpcError, RpcError } from '../../errors/rpc-error.ts';
import type { Kept } from '../../protocol/address.ts';
import type { CallFrame } from '../../protocol/call-reader.ts';
import { RefusedFrame, WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import type { CallTerms } from '../../protocol/operation.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import {
  CANCEL,
  FORGET,
  LEAVE,
  RELEASE,
  readCancelled,
  readNumbers,
  type Signal,
  unknownSignal,
} from '../../protocol/signal.ts';
import type { Observer } from '../observe/observer.ts';
import type { SessionSettings } from '../settings.ts';
import { Admission, type SharedLoad } from './admission.ts';
import type { Again } from './again.ts';
import { type CallContext, type Caller, givenUp, RunningCall } from './call-context.ts';
import { HeldResults, type Pending } from './held-results.ts';
import type { IncomingHost } from './incoming-host.ts';
import { Replies } from './replies.ts';
import { type Joined, type RunHost, runOperations } from './run.ts';
import { wasThrown } from './thrown.ts';
import { Turns } from './turns.ts';

/** The half of a session that answers calls: runs call frames and sends what becomes of them. */
export class Incoming implements RunHost {
  readonly #host: IncomingHost;
  readonly #sharedLoad: SharedLoad;
  readonly #replies: Replies;
  // Made on first use: of thousands of connections that mostly idle, few need them.
  #held: HeldResults | undefined;
  #running: Map<number, RunningCall> | undefined;
  #admission: Admission | undefined;
  #turns: Turns | undefined;
  #busy = 0;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  constructor(host: IncomingHost, sharedLoad: SharedLoad) {
    this.#host = host;
    this.#sharedLoad = sharedLoad;
    this.#replies = new Replies(host);
  }

  get held(): HeldResults {
    const { maxHeldResults, maxFrameBytes } = this.settings.limits;
    this.#held ??= new HeldResults(maxHeldResults, maxFrameBytes, (value) => this.#host.letGo(value));
    return this.#held;
  }

  /** Returns true if a target is a result that is kept for the other side. */
  holds(target: object): boolean {
    return this.#held?.holds(target) ?? false;
  }

  /** How many results are kept for the other side. */
  get heldCount(): number {
    return this.#held?.size ?? 0;
  }

  get settings(): SessionSettings {
    return this.#host.settings;
  }

  get target(): unknown {
    return this.#host.target;
  }

  get caller(): Caller | undefined {
    return this.#host.caller;
  }

  get life(): number | undefined {
    return this.#host.isOver ? undefined : this.#replies.life;
  }

  get turns(): Turns {
    this.#turns ??= new Turns(this);
    return this.#turns;
  }

  get observer(): Observer | undefined {
    return this.#host.observer;
  }

  get admission(): Admission {
    this.#admission ??= new Admission(this.settings.limits, this.#host.waiting, this.#sharedLoad, this.#host.bounds);
    return this.#admission;
  }

  /** Resolves when nothing is going on any more; undefined where nothing is. An object that is waited for does not hibernate. */
  get idle(): Promise<void> | undefined {
    if (this.#busy === 0) return undefined;
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  /**
   * Runs a frame that has been read, or refuses it, and does as its signals say when all of it has begun. What it gives up is
   * over at once.
   * @throws {RpcError} where a signal says what cannot be
   */
  receive(frame: CallFrame): void {
    const { firstId, operations, signals } = frame;
    const cancelled = signals.length > 0 ? this.#giveUp(frame) : undefined;
    const refusal = operations.length > 0 ? this.admission.admit(frame) : undefined;
    if (operations.length === 0) this.admission.charge(frame.charge);
    if (refusal === undefined) {
      this.#host.openChannels?.settle(true);
      runOperations(frame, this, { cancelled });
    } else {
      this.refuseUnread(new RefusedFrame(firstId, WHOLE_FRAME, refusal));
      runOperations({ ...frame, operations: [] }, this);
    }
    if (!this.turns.isBrief) this.flush();
  }

  /** Runs what has to run of a frame that was sent before. */
  receiveAgain(frame: CallFrame, again: Again): void {
    runOperations(frame, this, { again });
    if (!this.turns.isBrief) this.flush();
  }

  /** Refuses a frame of which nothing runs, so that nobody has what came with it. */
  refuseUnread(frame: RefusedFrame): void {
    this.#host.openChannels?.frameRefused(frame.firstId);
    this.#host.openImports?.frameRefused(frame.firstId);
    this.refuse(frame);
  }

  /** Gives up calls that the other side no longer waits for; returns those of the frame itself. */
  #giveUp({ firstId, operations, signals }: CallFrame): Map<number, string> {
    const own = new Map<number, string>();
    for (const [id, code] of readCancelled(signals)) {
      this.#host.openChannels?.callGivenUp(id, givenUp(code));
      const call = this.#running?.get(id);
      if (call !== undefined) call.giveUp(code);
      else if (id < firstId) this.turns.cancel(id, code);
      else if (id < firstId + operations.length) own.set(id, code);
    }
    return own;
  }

  begun({ signals }: CallFrame, isLost: boolean): void {
    try {
      for (const signal of signals) {
        // All that is said is about the connection, but that the client leaves; what has arrived was handled already.
        if (isLost ? signal[0] === LEAVE : signal[0] !== CANCEL) this.#receiveSignal(signal);
      }
    } catch (error) {
      this.#host.refuseConnection(asRpcError(error, 'MALFORMED_FRAME'));
    }
  }

  waits(frame: CallFrame): () => void {
    const { admission } = this;
    const done = this.busy();
    admission.hold(frame);
    return () => {
      admission.letGo(frame);
      done();
    };
  }

  #receiveSignal(signal: Signal): void {
    switch (signal[0]) {
      case RELEASE: {
        const numbers = readNumbers(signal);
        for (let place = 0; place + 1 < numbers.length; place += 2) {
          this.#host.exports.release(numbers[place], numbers[place + 1]);
        }
        return;
      }
      case FORGET:
        return this.forget(readNumbers(signal));
      default:
        if (this.#host.receiveOther === undefined) throw unknownSignal(signal);
        return this.#host.receiveOther(signal);
    }
  }

  refuse(frame: RefusedFrame): void {
    this.#replies.refuse(frame);
  }

  /** Sends the results that are ready. */
  flush(): void {
    this.#replies.flush();
  }

  /** Tells all methods that nobody waits for them any more: the connection is gone. */
  lost(reason: RpcError): void {
    this.#host.openChannels?.lostUnread((callId) => this.#running?.has(callId) ?? false);
    for (const call of this.#running?.values() ?? []) call.abort(reason);
    this.#running?.clear();
    this.#replies.clear();
    this.#turns?.clear();
    this.#held?.clear();
  }

  busy(): () => void {
    this.#busy++;
    let done = false;
    return () => {
      if (done) return;
      done = true;
      if (--this.#busy > 0) return;
      this.#whenIdle?.resolve();
      this.#whenIdle = undefined;
    };
  }

  begin(id: number, terms: CallTerms | undefined, ageMs?: number): RunningCall {
    const call = new RunningCall(this.#host, id, terms, ageMs);
    call.life = this.#replies.life;
    return call;
  }

  kept({ kind, id }: Kept): Pending {
    if (kind === 'result')
      return this.held.get(id) ?? lost('the result of a step', 'await it in the turn it is called in');
    const value = this.#host.exports.get(id);
    if (value !== undefined) return { ok: true, value };
    return this.#host.restore?.(id) ?? lost('what the stub stood for', 'the object has left memory since: get it anew');
  }

  joined(id: number): Joined | undefined {
    const call = this.#running?.get(id);
    if (call !== undefined) return { call, pending: call.pending! };
    const pending = this.#held?.get(id);
    return pending instanceof Promise || !pending?.ok ? undefined : { call, pending };
  }

  hold(id: number, pending: Pending, bytes: number): void {
    this.held.hold(id, pending, bytes);
  }

  forget(ids: readonly number[]): void {
    for (const id of ids) this.held.forget(id);
  }

  settled(call: RunningCall, path: readonly string[], outcome: Outcome): void {
    const { resumeAfter } = call;
    if (outcome.ok) this.#sharedLoad.succeeded++;
    else this.#sharedLoad.failed++;
    // Frames that are sent again come to servers only.
    this.#replies.add(call, path, resumeAfter === undefined ? outcome : this.#host.resume!(outcome, resumeAfter));
  }

  stepEnded(call: RunningCall, outcome: Outcome): void {
    this.#replies.addStep(call, outcome);
  }

  argumentsEnded(call: RunningCall, isAnswered: boolean, outcome: Outcome): void {
    const hasRun = call.hasRun && (outcome.ok || wasThrown(outcome.error));
    this.#host.openChannels?.callEnded(call.callId, isAnswered, hasRun);
    this.#host.openImports?.callEnded(call.callId, hasRun);
  }

  started(call: RunningCall, frame: CallFrame): void {
    this.admission.started(frame);
    this.#running ??= new Map();
    this.#running.get(call.callId)?.abort(new RpcError('ID_REUSED', `another call has the id ${call.callId}`));
    this.#running.set(call.callId, call);
    call.whenEnded = this.busy();
  }

  ended(call: RunningCall, frame: CallFrame): void {
    this.admission.ended(frame);
    if (this.#running?.get(call.callId) === call) this.#running.delete(call.callId);
    if (!this.turns.isBrief) this.#replies.flushSoon();
    call.whenEnded?.();
  }

  onError(error: unknown, method: string, call: CallContext): void {
    this.#host.onError(error, method, call);
  }
}

function lost(what: string, hint: string): Outcome {
  return { ok: false, error: new RpcError('REFERENCE_LOST', `${what} is no longer there: ${hint}`) };
}
