import { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame } from '../protocol/call-frame.ts';
import {
  CLOSE_EXPIRED,
  CLOSE_MALFORMED,
  CLOSE_POLICY,
  CLOSE_TOO_LARGE,
  CLOSE_UNSUPPORTED_DATA,
  closeReason,
} from '../protocol/close-codes.ts';
import { type FrameOfParts, RefusedFrame, WHOLE_FRAME } from '../protocol/frame-reader.ts';
import { malformedFrame } from '../protocol/malformed.ts';
import { countedBytes, type Message } from '../protocol/message.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import { ACKNOWLEDGE, LEAVE, readNumbers, type Signal } from '../protocol/signal.ts';
import { isTokenFrame } from '../protocol/token.ts';
import type { ConnectedClient } from '../protocol/version.ts';
import type { Admission, Rate, StrangerBounds } from '../session/incoming/admission.ts';
import type { CallContext, Caller } from '../session/incoming/call-context.ts';
import { inDoubt } from '../session/incoming/delivery.ts';
import type { Pending } from '../session/incoming/held-results.ts';
import type { ResultStore } from '../session/incoming/result-store.ts';
import type { Observer } from '../session/observe/observer.ts';
import type { Call, OutgoingFrame } from '../session/outgoing/call.ts';
import type { Node } from '../session/outgoing/node.ts';
import type { ConnectionMemory } from '../session/references/memory.ts';
import { Restoring } from '../session/references/restoring.ts';
import { Session } from '../session/session.ts';
import type { Made } from '../session/travelling.ts';
import type { Peer, Transport } from '../transport/transport.ts';
import { expiredError, isExpired, newCaller } from './access/caller.ts';
import { lifetimeFrame, Renewal, type RenewalHost } from './access/renewal.ts';
import { requireServable } from './access/served-target.ts';
import { readAgain } from './delivery/read-again.ts';
import { Backlog, HeldFrames } from './limits/backlog.ts';
import type { ServeOptions } from './options.ts';
import { errorOfFrame } from './report.ts';
import { createServerContext, type ServerContext } from './server-context.ts';
import { beginSubscription, receiveTopicSignal, resumeSubscription } from './topics/begin-subscription.ts';
import { type Subscriber, SubscriptionRequest } from './topics/subscriber.ts';

/** How long, in milliseconds, an event is known to keep the object awake for all that come while it does. */
const AWAKE_MS = 60_000;

/** The server's side of a connection: runs call frames on its target and sends what becomes of them. */
export class ServerSession extends Session implements RenewalHost, StrangerBounds {
  #target: unknown;
  #caller: Caller | undefined;
  readonly #transport: Transport;
  readonly #context: ServerContext;
  /** Restores references after the object has left memory; made on first use. */
  #restoring: Restoring | undefined;
  readonly #memory: ConnectionMemory | undefined;
  readonly #results: ResultStore | undefined;
  /** Which client it is, and which of its connections. */
  readonly client: ConnectedClient | undefined;
  /** Returns the connection's subscriber; undefined where there are no topics. */
  subscriber: (() => Subscriber) | undefined;
  /** Called when the connection has ended. */
  ended: (() => void) | undefined;
  readonly #renewed: ServedClient['renewed'];
  /** Made when a token comes, or a frame too late. */
  #renewal: Renewal | undefined;
  /** The promise that an event waits for, and since when. */
  #awaited: { idle: Promise<void>; since: number } | undefined;
  /** Made with the first frame that has to wait. */
  #held: HeldFrames | undefined;
  /** Counts what the client has not read; made with the first frame, where the client can be asked. */
  #backlog: Backlog | undefined;
  #knowsLifetime = false;
  /** True once the connection has ended here: frames that still arrive are dropped. */
  #isOver = false;

  constructor(
    target: unknown,
    transport: Transport,
    context: ServerContext,
    { caller, client, memory, results, renewed }: ServedClient = {},
  ) {
    super(context.settings, context.load);
    this.#target = target;
    this.#caller = caller;
    this.#renewed = renewed;
    this.#transport = transport;
    this.#context = context;
    this.#memory = memory;
    this.#results = results;
    this.client = client;
  }

  get target(): unknown {
    return this.#target;
  }

  get observer(): Observer | undefined {
    return this.#context.observer;
  }

  get caller(): Caller | undefined {
    return this.#caller;
  }

  override get firstId(): number {
    return this.exportsWatcher?.firstId ?? 0;
  }

  override get results(): ResultStore | undefined {
    return this.#results;
  }

  get isStateless(): boolean {
    return this.#transport.stateless ?? false;
  }

  /** Resolves when nothing is going on any more; undefined where nothing is. An object that is waited for does not hibernate. */
  get idle(): Promise<void> | undefined {
    return this.incoming.idle;
  }

  /**
   * Returns what an event has to wait for so that the object stays awake while something is going on; undefined where another event
   * does so already: each takes three kilobytes, and a client can send a message of a few bytes.
   */
  get awake(): Promise<void> | undefined {
    const { idle } = this;
    if (idle === undefined) return undefined;
    const now = Date.now();
    if (idle === this.#awaited?.idle && now - this.#awaited.since < AWAKE_MS) return undefined;
    this.#awaited = { idle, since: now };
    return idle;
  }

  /** Resolves when all calls that have arrived have begun; undefined where they have. */
  get begun(): Promise<void> | undefined {
    return this.incoming.turns.begun;
  }

  /** Runs a call frame, or settles calls that this side has made. */
  receive(message: Message): void {
    // What was on its way may have been made again since, over another connection.
    if (this.#isOver) return;
    // What is held comes here once more.
    if (this.isHeldUp || this.#held?.isReleasing) return this.hold(message);
    this.#context.traffic.received(message);
    if (isTokenFrame(message)) return this.#renewalOf().receive(message);
    if (isExpired(this.#caller?.expiresAt)) return this.#renewalOf().receiveLate(message);
    const { maxFrameBytes } = this.settings.limits;
    if (this.isStateless || countedBytes(message, maxFrameBytes) <= maxFrameBytes) return this.receiveMessage(message);
    this.refuseConnection(new RpcError('TOO_LARGE', `maxFrameBytes of ${maxFrameBytes} exceeded`));
  }

  /** True while frames have to wait: until the caller's new identity is known, or until the client has read what it was sent. */
  get isHeldUp(): boolean {
    return this.#renewal?.isAsking === true || this.drained !== undefined;
  }

  hold(message: Message): void {
    this.#held ??= new HeldFrames(this);
    this.#held.hold(message);
  }

  goOn(): void {
    void this.#held?.release();
  }

  /** Notes that the client has read what was sent before it was asked for this name. */
  read(name: string): void {
    this.#backlog?.read(name);
  }

  override get drained(): Promise<void> | undefined {
    return this.#backlog?.drained;
  }

  /** Answers calls that came with the upgrade. */
  receiveEarly(frame: CallFrame): void {
    this.incoming.receive(frame);
  }

  override sendReplies(message: Message): void {
    if (!this.#knowsLifetime) {
      this.#knowsLifetime = true;
      const isRenewable = this.#context.reauthenticate !== undefined && !this.isStateless;
      const news = isRenewable ? lifetimeFrame(this.#caller) : undefined;
      if (news !== undefined) this.sendFrame(news);
    }
    super.sendReplies(message);
  }

  /** Ends a connection on which text came that is no heartbeat. */
  refuseText(): void {
    this.refuseConnection(new RpcError('MALFORMED_FRAME', 'frames are binary'), CLOSE_UNSUPPORTED_DATA);
  }

  /** To be called when the connection has ended: what the client held is let go of, and what runs for it is aborted. */
  lost(): void {
    this.#isOver = true;
    this.#backlog?.end();
    this.end(new RpcError('NOT_EXECUTED', 'the connection was lost'), true);
    this.ended?.();
  }

  /** Subscribes the client to a topic, where that is what a method returns. */
  override extendOther(value: object, isArgument: boolean): Made | undefined {
    if (!(value instanceof SubscriptionRequest)) return undefined;
    return beginSubscription(value, isArgument ? undefined : this.subscriber?.(), () => {
      this.incoming.flush();
      this.flush();
    });
  }

  override resume(outcome: Outcome, after: number): Outcome {
    return resumeSubscription(outcome, after);
  }

  /** An object that left memory between two parts would know nothing of the first, and close the connection for the second. */
  override awaitParts(): () => void {
    return this.incoming.busy();
  }

  override receiveOther(signal: Signal): void {
    if (signal[0] === ACKNOWLEDGE) return this.#results?.acknowledge(readNumbers(signal));
    if (signal[0] === LEAVE) return this.#results?.forget();
    receiveTopicSignal(signal, this.subscriber?.());
  }

  override restore(id: number): Pending | undefined {
    return this.exportsWatcher?.restore(id);
  }

  protected override get exportsWatcher(): Restoring | undefined {
    if (this.#memory !== undefined) this.#restoring ??= new Restoring(this, this.#memory);
    return this.#restoring;
  }

  override reviveTopic(): never {
    throw malformedFrame('a subscription from a client');
  }

  override receiveEvents(): never {
    throw malformedFrame('events from a client');
  }

  /** Makes a call at the client, for whose result the object stays awake. */
  override call(node: Node, args: unknown[] | undefined): Call {
    const call = super.call(node, args);
    const { table } = this.outgoing;
    if (table.size > 0) table.whenEmpty ??= this.incoming.busy();
    return call;
  }

  override onRefused(error: RpcError, method: string | undefined): void {
    this.#context.refusals.add(error, method ?? 'a frame', this.#caller);
  }

  override get bounds(): StrangerBounds {
    return this;
  }

  rate(before?: Rate | null): Rate | null {
    return this.#context.rates.open(this.#caller, before);
  }

  endTooFast(error: RpcError): void {
    // Each of its frames was refused, and counted, already.
    this.close(CLOSE_POLICY, error);
  }

  get admission(): Admission {
    return this.incoming.admission;
  }

  /** Ends the connection; what else arrives on it is for nobody. Only the client's stub of the target closes it without a reason. */
  close(code?: number, error?: RpcError): void {
    if (code === undefined || error === undefined) return;
    this.#isOver = true;
    this.#transport.close(code, closeReason(error));
  }

  sendCalls(frame: OutgoingFrame): void {
    frame.sent = true;
    this.send(frame.message!);
  }

  onError(error: unknown, method: string, call: CallContext | undefined): void {
    this.#context.onError(error, method, call);
  }

  /** Sends a frame that nothing else of the session has to come before. */
  sendEvents(message: Message): void {
    if (this.#isOver) return;
    // Who only listens sends nothing by which that would be noticed.
    if (isExpired(this.#caller?.expiresAt)) return this.refuseConnection(expiredError(), CLOSE_EXPIRED);
    this.sendFrame(message);
  }

  protected override receiveAgain({ parts }: FrameOfParts): void {
    const { frame, again, mayHaveRun } = readAgain(parts, this.settings, this.#results);
    const refusal = this.admission.admit(frame);
    if (refusal === undefined) this.incoming.receiveAgain(frame, again);
    else this.incoming.refuse(new RefusedFrame(frame.firstId, WHOLE_FRAME, mayHaveRun ? inDoubt(refusal) : refusal));
    for (const signal of frame.signals) {
      if (signal[0] === ACKNOWLEDGE) this.receiveOther(signal);
    }
  }

  sendFrame(message: Message): void {
    this.#context.traffic.sent(message);
    this.#transport.send(message);
    if (this.#transport.ask === undefined) return;
    this.#backlog ??= new Backlog(this, (name) => this.#transport.ask!(name));
    this.#backlog.sent(message);
  }

  // For renewing an identity.

  override get isOver(): boolean {
    return this.#isOver;
  }

  renew(caller: Caller): void {
    if (this.#renewed !== undefined) this.#target = this.#renewed(caller);
    this.#caller = caller;
    this.admission.renew();
  }

  /** Ends the connection, because of something that its client did; all that this side refuses a connection for comes here. */
  refuseConnection(cause: RpcError, code?: number): void {
    if (this.#isOver) return;
    const error = errorOfFrame(cause, (defect) => this.onError(defect, 'a frame', undefined));
    this.onRefused(error, undefined);
    this.close(code ?? (error.code === 'TOO_LARGE' ? CLOSE_TOO_LARGE : CLOSE_MALFORMED), error);
  }

  #renewalOf(): Renewal {
    this.#renewal ??= new Renewal(this, this.#context.reauthenticate);
    return this.#renewal;
  }
}

/** The client of a session, beside its target and its transport. */
export interface ServedClient {
  caller?: Caller | undefined;
  /** Which client it is, and which of its connections; undefined for those that do not say. */
  client?: ConnectedClient | undefined;
  /** Without one the session is gone when the object leaves memory. */
  memory?: ConnectionMemory | undefined;
  /** Where results of the client's exactly-once calls are stored; without it they are as all others. */
  results?: ResultStore | undefined;
  /** Returns what a caller talks to who has shown a new token, and notes who that is; without it the target stays. */
  renewed?: ((caller: Caller) => unknown) | undefined;
}

/**
 * Serves a target to one client over a transport of one's own: `channel` takes what is for the client, and what comes
 * from it is given to the peer that this returns.
 * @throws {TypeError} where the target is of no class that extends `RpcTarget`
 */
export function serveOver(channel: Transport, target: object, options: ServeOptions = {}): Peer {
  requireServable(target, 'serving needs');
  return new ServerSession(target, channel, createServerContext(options), { caller: newCaller(options.identity) });
}
