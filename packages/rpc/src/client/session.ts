import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL } from '../protocol/close-codes.ts';
import { TOKEN_CALL_ID } from '../protocol/frame-kind.ts';
import type { Message } from '../protocol/message.ts';
import { writeResent } from '../protocol/resent.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { CallContext } from '../session/incoming/call-context.ts';
import type { Observer } from '../session/observe/observer.ts';
import { Call, type OutgoingFrame } from '../session/outgoing/call.ts';
import type { Node } from '../session/outgoing/node.ts';
import { Session } from '../session/session.ts';
import type { SessionSettings } from '../session/settings.ts';
import { Timer } from '../session/timer.ts';
import { Authentication } from './authentication.ts';
import { Backlog } from './backlog.ts';
import { Clock } from './clock.ts';
import { Link, type LinkHost } from './link.ts';
import type { ConnectionState, LinkOptions, Loss } from './link-options.ts';
import { refuse } from './refusals.ts';
import { Resending } from './resending.ts';
import { Subscriptions } from './subscriptions.ts';

/** What a session needs to know. */
export interface ClientSessionOptions extends LinkOptions {
  settings: SessionSettings;
  /** How many calls may wait for a connection, and how many bytes. */
  maxQueuedCalls: number;
  maxQueuedBytes: number;
  /** Whether calls may go with the request for a connection. */
  early: boolean;
  observe?: Observer | undefined;
  /** Told of what the client's own functions and targets threw when the server called them. */
  onError?: ((error: unknown, method: string, call: CallContext | undefined) => void) | undefined;
}

/** Told of a state, and why there is no connection where there is none. */
export type StateListener = (state: ConnectionState, reason: RpcError | undefined) => void;

/** The client's side of a connection: calls wait while there is none, and those that were in flight are sent again. */
export class ClientSession extends Session implements LinkHost {
  readonly target = undefined;
  readonly caller = undefined;
  readonly link: Link;
  readonly observer: Observer | undefined;
  readonly options: ClientSessionOptions;
  readonly #listeners = new Set<StateListener>();
  /** What has gone over all connections. */
  readonly traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };
  readonly backlog: Backlog;
  /** Goes off when calls have waited long enough. */
  readonly #waitTimer = new Timer();
  /** Went with the request for the connection that is being made. */
  #early: OutgoingFrame | undefined;
  #subscriptions: Subscriptions | undefined;
  readonly clock = new Clock();
  #authentication: Authentication | undefined;
  #resending: Resending | undefined;

  constructor(options: ClientSessionOptions) {
    super(options.settings);
    this.options = options;
    this.observer = options.observe;
    this.backlog = new Backlog(() => this.outgoing.table, options.maxQueuedBytes);
    this.link = new Link(options, this);
  }

  /** What shows new tokens. */
  get authentication(): Authentication {
    this.#authentication ??= new Authentication(this);
    return this.#authentication;
  }

  override reviveTopic(payload: unknown, callId: number | undefined): unknown {
    this.#subscriptions ??= new Subscriptions({
      clock: this.clock,
      signal: (signal) => this.outgoing.signal(signal),
      resume: () => this.#resumeSubscriptions(),
    });
    return this.#subscriptions.revive(payload, callId);
  }

  override receiveEvents(parts: unknown[], bytes: number): void {
    // Without any, it is about one that has ended.
    this.#subscriptions?.receive(parts, bytes);
  }

  override settle(id: number, outcome: Outcome): void {
    if (id === TOKEN_CALL_ID && typeof this.options.token === 'function') return this.authentication.answered(outcome);
    if (id === TOKEN_CALL_ID) return this.#authentication?.answered(outcome);
    // While the call is still there.
    this.#subscriptions?.settle(id, outcome, this.outgoing.table.get(id));
    super.settle(id, outcome);
    this.#resending?.settled();
  }

  override get description(): string {
    return this.options.description;
  }

  get isStateless(): boolean {
    return this.options.open.stateless ?? false;
  }

  get isWaiting(): boolean {
    return this.outgoing.size > 0;
  }

  /** Has a listener told of every change of the connection's state, until what is returned is called. */
  onStateChange(listener: StateListener): () => void {
    // As one of its own, so that the same function can listen twice.
    const entry: StateListener = (...change) => listener(...change);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  override call(node: Node, args: unknown[] | undefined): Call {
    if (this.isReady) return super.call(node, args);
    if (this.link.state === 'closed') return refusedCall(node.name, this.link.reason ?? closedError());
    const { maxQueuedCalls } = this.options;
    if (this.outgoing.size < maxQueuedCalls) return super.call(node, args);
    const message = `${node.name}() was not called: ${maxQueuedCalls} calls (maxQueuedCalls) wait for a connection`;
    return refusedCall(node.name, new RpcError('OVERLOADED', message));
  }

  /** Ends the connection for good; calls that have not settled reject. */
  close(): void {
    if (this.link.isFinal) return;
    // Over what cannot be probed nobody knows the client by its name, under which results are stored.
    if (this.isReady) this.outgoing.leave(this.link.canProbe);
    this.flush();
    this.link.close();
    // Who reads on is not to take for the end what was only closed; events have no end, but that nobody wants more.
    this.openChannels?.lost(new RpcError('NOT_EXECUTED', 'this side closed the connection'));
    this.#drop(closedError(), true);
    this.#subscriptions?.end();
  }

  sendCalls(frame: OutgoingFrame): void {
    if (this.isReady) return this.#sendCalls(frame);
    if (this.link.state === 'closed') return;
    if (!this.backlog.add(frame)) return;
    this.limitWaiting();
    if (this.link.state === 'idle') this.link.connect();
  }

  /** Nothing of a client goes to sleep. */
  override busy(): () => void {
    return () => {};
  }

  onError(error: unknown, method: string, call: CallContext | undefined): void {
    this.options.onError?.(error, method, call);
  }

  stateChanged(state: ConnectionState, reason: RpcError | undefined): void {
    for (const listener of this.#listeners) {
      // Later: what the listener does, or throws, must find the session as it will be.
      queueMicrotask(() => listener(state, reason));
    }
  }

  early(): Message | undefined {
    const frame = this.options.early && !this.isStateless ? this.backlog.early() : undefined;
    this.#early = frame;
    if (frame !== undefined) frame.sentAt = this.clock.now();
    return frame?.message;
  }

  opened(isAhead: boolean): void {
    // It is on its way to being answered.
    if (isAhead && this.#early !== undefined) this.#early.sent = true;
    this.#authentication?.opened();
    this.release();
  }

  /** Sends what has waited, in the order in which it was called. */
  release(): void {
    this.#waitTimer.stop();
    const ahead = this.#early?.sent ? this.#early : undefined;
    this.#early = undefined;
    for (const { frame, places } of this.backlog.take()) {
      if (frame === ahead) continue;
      if (places === undefined) this.#sendCalls(frame);
      else this.sendAgain(frame, places);
    }
    this.#resending?.opened();
    this.#resumeSubscriptions();
  }

  received(message: Message): void {
    this.traffic.framesReceived++;
    this.traffic.bytesReceived += message.length;
    this.receiveMessage(message);
  }

  answered(frames: readonly Message[]): void {
    this.outgoing.table.answered(frames);
  }

  lost({ error, wasOpen, mayHaveRun, isBlamed, isTemporary }: Loss): void {
    this.#authentication?.lost();
    if (!isTemporary || (this.options.maxWaitMs === 0 && !wasOpen)) {
      this.#drop(error, mayHaveRun);
      if (isTemporary) this.link.rest();
      else this.#subscriptions?.lost(error);
      return;
    }
    if (!wasOpen) return;
    // They do not wait for calls: what was missed is made up for, or told of, however long it takes.
    if (isBlamed) this.#subscriptions?.lost(error);
    else this.#subscriptions?.pause(error);
    this.#resending ??= new Resending(this);
    if (!isBlamed) this.#resending.recallSteps();
    const frames = this.end(error, mayHaveRun, !isBlamed);
    this.#resending.lost(frames, error);
    if (frames.size > 0 || this.#authentication?.isPending) this.limitWaiting();
  }

  override refused(firstId: number, index: number, error: RpcError): void {
    const isExpired = error.code === 'EXPIRED' && this.options.token !== undefined;
    const authentication = isExpired ? this.authentication : undefined;
    this.#subscriptions?.refused(firstId, error);
    if (!authentication?.takeBack(this.outgoing.table, firstId)) super.refused(firstId, index, error);
    authentication?.expired(error);
  }

  sendBehind(frame: Message): void {
    this.flush();
    this.send(frame);
  }

  protected sendFrame(message: Message): void {
    // What answers a call over a connection that is gone has nobody to go to.
    if (!this.link.isReady) return;
    this.traffic.framesSent++;
    this.traffic.bytesSent += message.length;
    this.link.send(message);
  }

  refuseConnection({ code, message }: RpcError): void {
    this.link.refuse(new RpcError(code, `from server: ${message}`));
  }

  #sendCalls(frame: OutgoingFrame): void {
    frame.sent = true;
    if (!this.isStateless) frame.sentAt = this.clock.now();
    this.send(frame.message!);
  }

  /** Sends a frame of an earlier connection, of which only some calls are still to be answered. */
  sendAgain(frame: OutgoingFrame, places: readonly number[]): void {
    const age = frame.sent ? this.clock.since(frame.sentAt) : undefined;
    frame.sent = true;
    this.outgoing.sentAgain(frame);
    this.send(writeResent(age, places, frame.message!));
  }

  #resumeSubscriptions(): void {
    if (this.#subscriptions === undefined || !this.isReady) return;
    for (const frame of this.#subscriptions.resume()) this.send(frame);
  }

  /** Bounds how long calls wait, from now on where none waited before. */
  limitWaiting(): void {
    const { maxWaitMs } = this.options;
    if (this.#waitTimer.isSet || maxWaitMs === 0) return;
    this.#waitTimer.set(maxWaitMs, () => {
      const isOpen = this.link.isReady;
      // What is in flight may go on over the next connection.
      if (isOpen) this.link.drop(CLOSE_ABNORMAL, 'without a new token');
      const why = this.link.reason?.message ?? 'there is no connection';
      const error = new RpcError('NOT_EXECUTED', `waited ${maxWaitMs} ms (maxWaitMs): ${why}`);
      if (!isOpen) this.#drop(error, true);
      else this.#authentication?.waitedTooLong(this.outgoing.table, error);
      this.link.rest();
    });
  }

  /** Settles all calls: nothing will come of them. */
  #drop(error: RpcError, mayHaveRun: boolean): void {
    this.#waitTimer.stop();
    this.backlog.clear();
    this.#resending?.clear();
    this.end(error, mayHaveRun);
    this.#authentication?.dropped(error);
  }

  /** Whether what is called is sent at once. */
  get isReady(): boolean {
    return this.link.isReady && !this.#authentication?.isHolding;
  }
}

/** Makes a call that is refused. */
function refusedCall(name: string, error: RpcError): Call {
  const call = new Call(0, undefined, name);
  refuse(() => call.settle({ ok: false, error }));
  return call;
}

/** Why nothing is sent any more. */
export function closedError(): RpcError {
  return new RpcError('NOT_EXECUTED', 'the connection was closed: with "using", await calls inside its block');
}
