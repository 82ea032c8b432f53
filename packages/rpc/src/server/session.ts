import { RpcError } from '../errors/rpc-error.ts';
import {
  asFrameError,
  CLOSE_MALFORMED,
  CLOSE_POLICY,
  CLOSE_TOO_LARGE,
  CLOSE_UNSUPPORTED_DATA,
  closeReason,
  exceeded,
} from '../protocol/errors.ts';
import type { FrameEntries } from '../protocol/frame-reader.ts';
import { answeredName, BYTES_A_UNIT, countedBytes, type Message, PING, PONG } from '../protocol/message.ts';
import type { CallFrame } from '../protocol/operation.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import {
  ACKNOWLEDGE,
  CONSUMED,
  LEAVE,
  readNumbers,
  type Signal,
  UNSUBSCRIBE,
  unknownSignal,
} from '../protocol/signal.ts';
import { isTokenFrame } from '../protocol/token.ts';
import type { Position } from '../protocol/topic.ts';
import { type Waiting, waitingOf } from '../session/admission.ts';
import type { CallContext, Caller } from '../session/incoming/call-context.ts';
import type { ResultStore } from '../session/incoming/delivery.ts';
import type { Incoming } from '../session/incoming/incoming.ts';
import { runFrame } from '../session/incoming/run.ts';
import { defectBehind } from '../session/incoming/thrown.ts';
import { Turns } from '../session/incoming/turns.ts';
import type { Observer } from '../session/observe/observer.ts';
import type { Call, OutgoingFrame } from '../session/outgoing/call.ts';
import type { Node } from '../session/outgoing/node.ts';
import type { Restoring } from '../session/references/restoring.ts';
import type { Peer, Transport } from '../transport/transport.ts';
import { isExpired, newCaller } from './access/caller.ts';
import { lifetimeFrame, Renewal, type RenewalHost } from './access/renewal.ts';
import { requireServable } from './access/served-target.ts';
import { BusySession } from './busy-session.ts';
import { ResentRun, readResentFrame } from './delivery/run-again.ts';
import { Backlog } from './limits/backlog.ts';
import type { Gate } from './limits/gate.ts';
import type { ServeOptions } from './options.ts';
import { errorOfFrame } from './report.ts';
import { createServerContext, type ServerContext } from './server-context.ts';
import { type EventChannel, handleTopicSignal, resumeSubscription } from './topics/subscriber.ts';

/** The client of a session, besides its target and its transport. */
export interface ServedClient {
  readonly caller?: Caller | undefined;
  /**
   * Returns what restores references after the object has left memory; called once. Without it, the session is gone
   * then.
   */
  readonly restoring?: ((session: ServerSession) => Restoring) | undefined;
  /**
   * Returns the store for the results of the client's exactly-once calls; called once. Without it, no results are
   * stored.
   */
  readonly results?: (() => ResultStore) | undefined;
  /**
   * Returns the target for a caller that has shown a new token. Without it, the target stays the same.
   */
  readonly renewed?: ((caller: Caller) => unknown) | undefined;
  /** Keeps the object awake until a promise settles, whatever event of the object is handled. */
  readonly keepAwake?: ((idle: Promise<void>) => void) | undefined;
}

/** The server's side of a connection: runs call frames on its target and sends the results. */
export class ServerSession extends BusySession implements RenewalHost {
  target: unknown;
  caller: Caller | undefined;
  readonly isStateless: boolean;
  declare readonly description: undefined;
  readonly observer: Observer | undefined;
  /** Channel for events; undefined if there are no topics. */
  events: EventChannel | undefined;
  /** Called when the connection has ended. */
  ended: (() => void) | undefined;
  readonly #transport: Transport;
  readonly #context: ServerContext;
  readonly #served: ServedClient;
  // Made on first use: few of the thousands of connections, most of them idle, need these.
  #results: ResultStore | undefined;
  #restoring: Restoring | undefined;
  #renewal: Renewal | undefined;
  #backlog: Backlog | undefined;
  #bounds: Gate | undefined;
  #knowsLifetime = false;
  /** The promise that keeps the object awake for calls that this side makes, besides the events that await their calls. */
  #keptAwake: Promise<void> | undefined;

  constructor(target: unknown, transport: Transport, context: ServerContext, served: ServedClient = {}) {
    super(context.settings, context.load);
    this.target = target;
    this.caller = served.caller;
    this.isStateless = transport.stateless ?? false;
    this.observer = context.observer;
    this.#transport = transport;
    this.#context = context;
    this.#served = served;
  }

  get firstId(): number {
    return this.exportsWatcher?.firstId ?? 0;
  }

  get results(): ResultStore | undefined {
    this.#results ??= this.#served.results?.();
    return this.#results;
  }

  get drained(): Promise<void> | undefined {
    return this.#backlog?.drained;
  }

  get waiting(): Waiting {
    return waitingOf(this);
  }

  get bounds(): Gate {
    this.#bounds ??= this.#context.openGate(waitingOf(this), this.caller, (error) => {
      // Not `refuseConnection`: each of the client's frames was refused, and counted, already.
      this.close(CLOSE_POLICY, error);
    });
    return this.#bounds;
  }

  override createTurns(host: { flush(): void }): Turns {
    return new Turns(host);
  }

  get incoming(): Incoming {
    return this.answers as Incoming;
  }

  get backlog(): Backlog {
    this.#backlog ??= new Backlog(this, this.settings.limits.maxBytesInFlight);
    return this.#backlog;
  }

  /** Resolves when all calls that have arrived have begun; undefined if they have. */
  get begun(): Promise<void> | undefined {
    return this.incoming.turns!.begun;
  }

  /** Runs a call frame, or settles calls that this side has made. */
  receive(message: Message): void {
    // Calls in a frame that was still under way may have been sent again since, over another connection.
    if (this.isOver) return;
    // A token frame never begins with an id, so most frames skip the check.
    const isToken = message[1] === '-' && isTokenFrame(message);
    const expiresAt = this.caller?.expiresAt;
    const isLate = expiresAt !== undefined && isExpired(expiresAt);
    if (isLate && !isToken) return this.#renewalOf().receiveLate(message);
    // A held frame passes through here again when it is released. A token is not held by what waits for it.
    if (this.#backlog?.isHolding && (!isLate || this.#backlog.isAsking)) return this.#backlog.hold(message);
    const { traffic } = this.#context;
    traffic.framesReceived++;
    traffic.bytesReceived += message.length;
    if (isToken) return this.#renewalOf().receive(message);
    if (expiresAt !== undefined) this.tellLifetime();
    const { limits } = this.settings;
    const { maxFrameBytes } = limits;
    const isSmall = BYTES_A_UNIT * message.length <= maxFrameBytes;
    if (isSmall || this.isStateless || countedBytes(message, maxFrameBytes) <= maxFrameBytes)
      return this.receiveMessage(message);
    this.refuseConnection(exceeded('maxFrameBytes', limits, '', 'TOO_LARGE'));
  }

  /**
   * Handles a text that is no frame: a heartbeat that the runtime has not answered, or a name that the client returns
   * because it has read everything that was sent before it was asked.
   */
  receiveText(text: string): void {
    if (this.isOver) return;
    if (text === PING) return this.#transport.send(PONG);
    const name = answeredName(text);
    // An earlier life of the object may have asked for the name.
    if (name !== undefined) return this.#backlog?.read(name);
    const error = new RpcError('MALFORMED_FRAME', 'a text that is neither a frame nor a heartbeat');
    this.refuseConnection(error, CLOSE_UNSUPPORTED_DATA);
  }

  /** Answers calls that came with the upgrade. */
  receiveEarly(frame: CallFrame): void {
    try {
      runFrame(this.incoming, frame);
    } catch (error) {
      // The upgrade completes: it has opened the connection already.
      this.refuseConnection(asFrameError(error));
    }
  }

  protected override receiveResent(resent: FrameEntries): void {
    const { bounds, incoming } = this;
    const rerun = readResentFrame(resent, this.settings, this.results, (frame) => bounds.admit(frame));
    incoming.take(new ResentRun(incoming, rerun));
    if (rerun.refusal !== undefined) this.onRefused(rerun.refusal, undefined);
  }

  override handleOther(signal: Signal): void {
    const [kind] = signal;
    if (kind === ACKNOWLEDGE) this.results?.acknowledge(readNumbers(signal));
    else if (kind === LEAVE) this.results?.forget();
    else if (kind === CONSUMED || kind === UNSUBSCRIBE) handleTopicSignal(signal, this.events, this.#context.topics);
    else throw unknownSignal(signal);
  }

  /** Makes a call to the client, and keeps the object awake until its result arrives. */
  call(call: Call, node: Node, args: unknown[] | undefined): void {
    this.outgoing.call(call, node, args);
    if (call.outcome === undefined) call.onSettled(this.busy());
  }

  override busy(): () => void {
    const finished = super.busy();
    // An event of another connection, or an alarm, may be the cause: no event of this connection awaits its end.
    const { idle } = this;
    if (idle !== undefined && idle !== this.#keptAwake) this.#served.keepAwake?.(idle);
    this.#keptAwake = idle;
    return finished;
  }

  sendCalls(frame: OutgoingFrame): void {
    frame.sent = true;
    this.send(frame.message!);
  }

  sendFrame(message: Message): void {
    const { traffic } = this.#context;
    traffic.framesSent++;
    traffic.bytesSent += message.length;
    this.#transport.send(message);
    if (this.#transport.ask === undefined) return;
    this.backlog.sent(message);
  }

  ask(name: string): void {
    this.#transport.ask?.(name);
  }

  /** Ends the connection because of an action of its client, and reports the refusal. */
  refuseConnection(cause: RpcError, code?: number): void {
    if (this.isOver) return;
    const error = errorOfFrame(cause, (defect) => this.onError(defect, 'a frame', undefined));
    this.onRefused(error, undefined);
    this.close(code ?? (error.code === 'TOO_LARGE' ? CLOSE_TOO_LARGE : CLOSE_MALFORMED), error);
  }

  /**
   * Ends the connection with all that runs for it, and ignores frames that arrive later. Without a code and an error it
   * does nothing: only the stub of the target, which exists on the client, closes its session that way.
   */
  close(code?: number, error?: RpcError): void {
    if (code === undefined || error === undefined) return;
    this.isOver = true;
    this.#transport.close(code, closeReason(error));
    // The client may never answer the close.
    this.closed();
  }

  /**
   * Called when the connection has ended: releases everything that the client held, and aborts the calls that run for
   * it.
   */
  override closed(): void {
    this.isOver = true;
    this.#backlog?.take();
    this.#backlog?.end();
    this.#renewal?.stopWaiting();
    this.end(new RpcError('NOT_EXECUTED', 'the connection was lost'), true);
    super.closed();
    this.ended?.();
  }

  onError(error: unknown, method: string, call: CallContext | undefined): void {
    this.#context.onError(error, method, call);
  }

  override onRefused(error: RpcError, method: string | undefined, call?: CallContext): void {
    const behind = defectBehind(error);
    if (behind !== undefined) this.onError(behind.defect, method ?? 'a frame', call);
    this.#context.refusals.add(error, method ?? 'a frame', this.caller);
  }

  // References that outlive the object's time in memory.

  get exportsWatcher(): Restoring | undefined {
    this.#restoring ??= this.#served.restoring?.(this);
    return this.#restoring;
  }

  // Renewal of the caller's identity.

  renew(caller: Caller): void {
    const { renewed } = this.#served;
    // Everything that may throw comes first, so that a token is taken as a whole or refused.
    const target = renewed === undefined ? this.target : renewed(caller);
    const renewBounds = this.bounds.renew(caller);
    this.events?.renew?.(caller);
    renewBounds();
    this.exportsWatcher?.recipes.addTarget(target);
    this.target = target;
    // The answer to the token carries the lifetime.
    this.#knowsLifetime = true;
    this.caller = caller;
  }

  /** Ends the connection, because the caller's identity has expired. Nothing runs of frames that wait. */
  expire(): void {
    this.#renewalOf().expire();
  }

  /** Tells the client how long its identity stays valid, if it can renew it and has not been told. */
  tellLifetime(): void {
    const expiresAt = this.caller?.expiresAt;
    if (this.#knowsLifetime || expiresAt === undefined) return;
    this.#knowsLifetime = true;
    const isRenewable = this.#context.reauthenticate !== undefined && !this.isStateless;
    if (isRenewable) this.sendFrame(lifetimeFrame(expiresAt));
  }

  #renewalOf(): Renewal {
    // Over HTTP each request identifies its caller anew, so there is nothing to renew.
    this.#renewal ??= new Renewal(this, this.isStateless ? undefined : this.#context.reauthenticate);
    return this.#renewal;
  }

  // Topics.

  override resume(outcome: Outcome, after: Position): Outcome {
    return resumeSubscription(outcome, after);
  }
}

/**
 * Serves a target to one client over a custom transport. `channel` sends frames to the client; hand the frames that
 * arrive from it to the returned peer.
 * @throws {TypeError} if the target's class does not extend `RpcTarget`
 */
export function serveOver(channel: Transport, target: object, options: ServeOptions = {}): Peer {
  requireServable(target, 'serving needs');
  return new ServerSession(target, channel, createServerContext(options), { caller: newCaller(options.identity) });
}
