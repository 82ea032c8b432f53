import { asRpcError, RpcError } from '../../errors/rpc-error.ts';
import type { Kept } from '../../protocol/address.ts';
import type { RefusedFrame } from '../../protocol/frame-reader.ts';
import type { CallFrame, Operation } from '../../protocol/operation.ts';
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
import { Admission } from '../admission.ts';
import type { Peer } from '../peer.ts';
import { References } from '../references/references.ts';
import { givenUp, type RunningCall } from './call-context.ts';
import type { Pending } from './held-results.ts';
import { Replies } from './replies.ts';
import { wasThrown } from './thrown.ts';
import { Turns } from './turns.ts';

/** The half of a session that answers calls: what is running for the other side, kept for it, and ready to be sent. */
export class Incoming {
  readonly session: Peer;
  readonly replies: Replies;
  readonly turns: Turns;
  readonly admission: Admission;
  /** Made on first use: of thousands of connections that mostly idle, few need it. */
  #running: Map<number, RunningCall> | undefined;

  constructor(session: Peer) {
    this.session = session;
    this.replies = new Replies(session);
    this.turns = new Turns(this.replies);
    this.admission = new Admission(session.settings.limits, session.waiting, session.load);
  }

  get references(): References {
    return this.session.state(References);
  }

  /** Refuses a frame of which nothing runs, so that nobody has what came with it. */
  refuseUnread(frame: RefusedFrame): void {
    for (const state of this.session.states) state.frameRefused?.(frame.firstId);
    this.replies.refuse(frame);
  }

  /** Gives up calls that the other side no longer waits for; returns those of the frame itself. */
  giveUp({ firstId, operations, signals }: CallFrame): Map<number, string> {
    const own = new Map<number, string>();
    for (const [id, code] of readCancelled(signals)) {
      for (const state of this.session.states) state.callGivenUp?.(id, givenUp(code));
      const call = this.#running?.get(id);
      if (call !== undefined) call.giveUp(code);
      else if (id < firstId) this.turns.cancel(id, code);
      else if (id < firstId + operations.length) own.set(id, code);
    }
    return own;
  }

  /** Does as the signals of a frame say; `isLost` where the connection that it came over is gone. */
  receiveSignals({ signals }: CallFrame, isLost: boolean): void {
    try {
      for (const signal of signals) {
        // All that is said is about the connection, but that the client leaves; what has arrived was handled already.
        if (isLost ? signal[0] === LEAVE : signal[0] !== CANCEL) this.#receiveSignal(signal);
      }
    } catch (error) {
      this.session.refuseConnection(asRpcError(error, 'MALFORMED_FRAME'));
    }
  }

  #receiveSignal(signal: Signal): void {
    switch (signal[0]) {
      case RELEASE: {
        const numbers = readNumbers(signal);
        for (let place = 0; place + 1 < numbers.length; place += 2) {
          this.references.exports.release(numbers[place], numbers[place + 1]);
        }
        return;
      }
      case FORGET:
        for (const id of readNumbers(signal)) this.references.held.forget(id);
        return;
      default: {
        const handler = this.session.settings.tables.signals.get(signal[0]);
        if (handler !== undefined) return handler(signal, this.session);
        if (this.session.receiveOther === undefined) throw unknownSignal(signal);
        return this.session.receiveOther(signal);
      }
    }
  }

  /** Tells all methods that nobody waits for them any more: the connection is gone. */
  lost(reason: RpcError): void {
    for (const state of this.session.states) state.lostUnread?.((callId) => this.#running?.has(callId) ?? false);
    for (const call of this.#running?.values() ?? []) call.abort(reason);
    this.#running?.clear();
    this.replies.clear();
    this.turns.clear();
  }

  /** Notes that a frame waits, until `waited` is called for it. */
  waits(frame: CallFrame): void {
    this.session.started();
    this.admission.hold(frame);
  }

  waited(frame: CallFrame): void {
    this.admission.letGo(frame);
    this.session.finished();
  }

  /** Finds what was sent to the other side before, or kept for it. */
  kept({ kind, id }: Kept): Pending {
    if (kind === 'result')
      return this.references.held.get(id) ?? lost('the result of a step', 'await it in the turn it is called in');
    const value = this.references.exports.get(id);
    if (value !== undefined) return { ok: true, value };
    return (
      this.session.restore?.(id) ?? lost('what the stub stood for', 'the object has left memory since: get it anew')
    );
  }

  /** Finds a call that is running. */
  running(id: number): RunningCall | undefined {
    return this.#running?.get(id);
  }

  /** Leaves a call running, and settles it when it has ended. */
  leaveRunning(pending: Promise<Outcome>, operation: Operation, call: RunningCall, frame: CallFrame): void {
    const { callId } = call;
    this.admission.started(frame);
    this.session.started();
    this.#running ??= new Map();
    const running = this.#running;
    running.get(callId)?.abort(new RpcError('ID_REUSED', `another call has the id ${callId}`));
    running.set(callId, call);
    call.pending = pending;
    pending.then((outcome) => {
      this.settle(outcome, operation, call);
      this.admission.ended(frame);
      if (running.get(callId) === call) running.delete(callId);
      if (!this.turns.isBrief) this.replies.flushSoon();
      this.session.finished();
    });
  }

  /** Answers a call that has ended, where the other side waits for it, and lets go of what it was passed. */
  settle(outcome: Outcome, { answered, path }: Operation, call: RunningCall): void {
    if (answered) this.replies.add(call, path, outcome);
    else this.replies.addStep(call, outcome);
    const { states } = this.session;
    if (states.length === 0) return;
    const hasRun = call.hasRun && (outcome.ok || wasThrown(outcome.error));
    for (const state of states) state.callEnded?.(call.callId, answered, hasRun);
  }
}

function lost(what: string, hint: string): Outcome {
  return { ok: false, error: new RpcError('REFERENCE_LOST', `${what} is no longer there: ${hint}`) };
}
