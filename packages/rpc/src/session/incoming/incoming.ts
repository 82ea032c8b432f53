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
import type { Waiting } from '../admission.ts';
import type { Peer } from '../peer.ts';
import { References } from '../references/references.ts';
import { givenUp, type RunningCall } from './call-context.ts';
import type { Pending } from './held-results.ts';
import { Replies } from './replies.ts';
import type { Work } from './turns.ts';

/** The half of a session that answers calls: what is running for the other side, kept for it, and ready to be sent. */
export class Incoming {
  readonly session: Peer;
  readonly replies: Replies;
  readonly waiting: Waiting;
  /** Made on first use: of thousands of connections that mostly idle, few need it. */
  #running: Map<number, RunningCall> | undefined;

  constructor(session: Peer) {
    this.session = session;
    this.replies = new Replies(session);
    this.waiting = session.waiting;
  }

  get references(): References {
    return this.session.state(References);
  }

  /** Runs the operations of a frame: at once, but where others have to be waited for, and sends what has become of them. */
  take(run: Work): void {
    const { turns } = this.session;
    if (turns !== undefined) turns.take(run);
    else while (!run.isDone) run.go();
    if (!turns?.isBrief) this.replies.flush();
  }

  /** Refuses a frame of which nothing runs, so that nobody has what came with it. */
  refuseUnread(frame: RefusedFrame): void {
    for (const state of this.session.states) state.frameRefused?.(frame.firstId);
    this.replies.refuse(frame);
  }

  /** Gives up calls that the other side no longer waits for; returns those of the frame itself. */
  giveUp({ firstId, operations, signals }: CallFrame): Map<number, string> {
    const { states, turns } = this.session;
    const own = new Map<number, string>();
    for (const [id, code] of readCancelled(signals)) {
      for (const state of states) state.callGivenUp?.(id, givenUp(code));
      const call = this.#running?.get(id);
      if (call !== undefined) call.giveUp(code);
      else if (id < firstId) turns?.cancel(id, code);
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
    const { session, references } = this;
    const [kind] = signal;
    const handler = session.settings.tables.signals.get(kind);
    if (handler !== undefined) return handler(signal, session);
    if (kind === FORGET) for (const id of readNumbers(signal)) references.held.forget(id);
    else if (kind === RELEASE) {
      const numbers = readNumbers(signal);
      for (let at = 1; at < numbers.length; at += 2) references.exports.release(numbers[at - 1], numbers[at]);
    } else if (session.receiveOther === undefined) throw unknownSignal(signal);
    else session.receiveOther(signal);
  }

  /** Tells all methods that nobody waits for them any more: the connection is gone. */
  lost(reason: RpcError): void {
    const running = this.#running;
    for (const state of this.session.states) state.lostUnread?.((callId) => running?.has(callId) ?? false);
    for (const call of running?.values() ?? []) call.abort(reason);
    running?.clear();
    this.replies.clear();
    this.session.turns?.clear();
  }

  /** Notes that a frame waits, until `waited` is called for it. */
  waits(frame: CallFrame): void {
    this.session.started();
    this.waiting.hold(frame);
  }

  waited(frame: CallFrame): void {
    this.waiting.letGo(frame);
    this.session.finished();
  }

  /** Finds what was sent to the other side before, or kept for it. */
  kept({ kind, id }: Kept): Pending {
    const { held, exports } = this.references;
    if (kind === 'result') {
      return held.get(id) ?? lost('the result of a step', 'await it in the turn it is called in');
    }
    const value = exports.get(id);
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
    const { replies, session, waiting } = this;
    this.waits(frame);
    waiting.count(1);
    this.#running ??= new Map();
    const running = this.#running;
    running.get(callId)?.abort(new RpcError('ID_REUSED', `another call has the id ${callId}`));
    running.set(callId, call);
    call.pending = pending;
    pending.then((outcome) => {
      replies.settle(outcome, operation, call);
      waiting.count(-1);
      if (running.get(callId) === call) running.delete(callId);
      if (!session.turns?.isBrief) replies.flushSoon();
      this.waited(frame);
    });
  }
}

function lost(what: string, hint: string): Outcome {
  return { ok: false, error: new RpcError('REFERENCE_LOST', `${what} is no longer there: ${hint}`) };
}
