import { RpcError } from '../errors/rpc-error.ts';
import { countedBytes, type Message } from '../protocol/message.ts';
import { writeResent } from '../protocol/resent.ts';
import type { EarlyFrame, Isolation, TokenRenewal } from '../session/extension.ts';
import type { CallContext } from '../session/incoming/call-context.ts';
import type { Observer } from '../session/observe/observer.ts';
import { type Call, type OutgoingFrame, takeBack } from '../session/outgoing/call.ts';
import { MAX_LOSSES } from '../session/outgoing/call-table.ts';
import type { Node } from '../session/outgoing/node.ts';
import { Session } from '../session/session.ts';
import { moment, since, Timer } from '../session/timer.ts';
import { type Link, type LinkEvents, linkOf } from './link.ts';
import { type Loss, refuse } from './loss.ts';
import type { ClientOptions } from './options.ts';

/** The client's side of a connection: calls wait while there is none, and those that were in flight are sent again. */
export class ClientSession extends Session implements LinkEvents {
  // What only servers have.
  declare readonly target: undefined;
  declare readonly caller: undefined;
  declare readonly bounds: undefined;
  declare readonly results: undefined;
  declare readonly exportsWatcher: undefined;
  declare readonly drained: undefined;
  readonly firstId = 0;
  /** The destination of calls. */
  readonly description: string;
  readonly options: ClientOptions;
  readonly isStateless: boolean;
  readonly observer: Observer | undefined;
  readonly link: Link;
  /** Renews its token; undefined where nothing does. */
  readonly renewal: TokenRenewal | undefined;
  /** Decides which frames may be why connections are lost; undefined where nothing does. */
  readonly isolation: Isolation | undefined;
  /** True if calls are sent at once: there is a connection, and no token to wait for. */
  isReady = false;
  /** Frames that wait to be sent, or to be sent again. */
  waiting: OutgoingFrame[] = [];
  #waitingBytes = 0;
  /** Went with the request for the connection that is being made. */
  #early: EarlyFrame | undefined;
  /** Goes off when calls have waited long enough. */
  readonly #waitTimer = new Timer();

  constructor(options: ClientOptions) {
    super(options.settings);
    this.options = options;
    this.description = options.description;
    this.observer = options.observe;
    this.isStateless = options.open.stateless ?? false;
    this.link = linkOf(options, this);
    this.renewal = options.settings.tables.renew?.(this);
    this.isolation = options.settings.tables.isolate?.(this);
  }

  get isWaiting(): boolean {
    return this.outgoing.size > 0;
  }

  call(call: Call, node: Node, args: unknown[] | undefined): void {
    if (!this.isReady) {
      const error = this.#refusal(node);
      if (error !== undefined) return refuse(() => call.fail(error));
    }
    this.outgoing.call(call, node, args);
  }

  /** Returns why a call cannot wait for a connection, where it cannot. */
  #refusal({ name }: Node): RpcError | undefined {
    if (this.link.state === 'closed') return this.link.reason ?? closedError();
    const { maxQueuedCalls } = this.options;
    if (this.outgoing.size < maxQueuedCalls) return undefined;
    const message = `${name}() was not called: ${maxQueuedCalls} calls (maxQueuedCalls) wait for a connection`;
    return new RpcError('OVERLOADED', message);
  }

  sendCalls(frame: OutgoingFrame): void {
    if (this.isReady) return this.transmit(frame);
    const { link, options, outgoing } = this;
    if (link.state === 'closed') return;
    const { maxQueuedBytes } = options;
    const bytes = this.#waitingBytes + countedBytes(frame.message!, maxQueuedBytes, this.#waitingBytes);
    // Signals are bounded by what they are about, and without them it would break.
    if (bytes > maxQueuedBytes && frame.answered > 0) {
      const message = `not sent: ${maxQueuedBytes} bytes (maxQueuedBytes) of calls wait for a connection`;
      return refuse(() => outgoing.table.reject(frame, new RpcError('OVERLOADED', message)));
    }
    this.#waitingBytes = bytes;
    this.waiting.push(frame);
    this.limitWaiting();
    if (link.state === 'idle') link.connect();
  }

  /** Sends a frame as it is, or of one of an earlier connection the calls at these places. */
  transmit(frame: OutgoingFrame, places?: readonly number[]): void {
    const ageMs = frame.sent ? since(frame.sentAt!) : undefined;
    if (!frame.sent && !this.isStateless) frame.sentAt = [performance.now(), Date.now()];
    frame.sent = true;
    if (places === undefined) return this.send(frame.message!);
    this.outgoing.sentAgain(frame);
    this.send(writeResent(ageMs, places, frame.message!));
  }

  sendBehind(frame: Message): void {
    this.flush();
    this.send(frame);
  }

  protected sendFrame(message: Message): void {
    this.link.send(message);
  }

  answered(frames: readonly Message[]): void {
    this.outgoing.table.answered(frames);
  }

  override refused(firstId: number, index: number, error: RpcError): void {
    const taken = this.states.filter((state) => state.callsRefused?.(firstId, error) === true);
    if (taken.length === 0) super.refused(firstId, index, error);
  }

  refuseConnection({ code, message }: RpcError): void {
    this.link.refuse(new RpcError(code, `from server: ${message}`));
  }

  onError(error: unknown, method: string, call: CallContext | undefined): void {
    this.options.onError?.(error, method, call);
  }

  early(): readonly string[] {
    this.#early = this.settings.tables.early?.(this);
    return this.#early?.offered ?? [];
  }

  opened(isAhead: boolean): void {
    if (isAhead) this.#early?.taken();
    // Else it would never be collected.
    this.#early = undefined;
    this.release();
  }

  /** Sends what has waited. */
  release(): void {
    const { isolation, waiting } = this;
    this.isReady = true;
    this.#clear();
    this.resend(isolation?.due(waiting) ?? waiting);
    isolation?.wait();
    for (const state of this.states) state.opened?.();
  }

  /** Sends frames that have waited, or those of their calls that have not settled. */
  resend(frames: readonly OutgoingFrame[]): void {
    const { outgoing } = this;
    const unsettled = outgoing.table.frames();
    for (const frame of frames) {
      const { answered, firstId, isBound, life, sent } = frame;
      const places = unsettled.get(frame)?.map(({ id }) => id - firstId) ?? [];
      // What was given up while it waited is not to run, and not what was about an earlier connection.
      const isPart = isBound ? life !== outgoing.life : places.length !== answered;
      if (places.length === 0 && answered > 0) takeBack(frame);
      else this.transmit(frame, sent || isPart ? places : undefined);
    }
  }

  lost({ error, wasOpen, mayHaveRun, isBlamed, isTemporary }: Loss): void {
    this.isReady = false;
    if (this.link.isFinal) for (const state of this.states) state.closed?.();
    if (!isTemporary || (this.options.maxWaitMs === 0 && !wasOpen)) {
      this.#drop(error, mayHaveRun);
      if (isTemporary) this.link.rest();
      else for (const state of this.states) state.disconnected?.(error, false);
      return;
    }
    if (!wasOpen) return;
    // They do not wait for calls: what was missed is made up for, or told of, however long it takes.
    for (const state of this.states) state.disconnected?.(error, !isBlamed);
    const { isolation } = this;
    const { table } = this.outgoing;
    const waiting = new Set(this.waiting);
    this.#countLoss(waiting);
    this.end(error, mayHaveRun, !isBlamed);
    isolation?.apart(waiting);
    // Those that were taken back, because they were refused, may be older than others that were sent.
    this.waiting = [...table.frames().keys()].sort((a, b) => a.firstId - b.firstId);
    this.#waitingBytes = 0;
    isolation?.stop();
    if (table.size > 0) this.limitWaiting();
  }

  /** Counts a loss against the frames that were under way, and not among those `waiting`. */
  #countLoss(waiting: ReadonlySet<OutgoingFrame>): void {
    const frames = [...this.outgoing.table.frames().keys()];
    const underWay = frames.filter((frame) => !waiting.has(frame));
    const blamed = new Set(this.isolation?.blamed(underWay) ?? underWay);
    for (const frame of frames) {
      if (!frame.sent) continue;
      if (frame.lostAt !== undefined && since(frame.lostAt) >= this.options.maxWaitMs) frame.losses = MAX_LOSSES;
      else if (blamed.has(frame)) frame.losses++;
      frame.lostAt ??= moment();
    }
  }

  /** Bounds how long calls wait, from now on where none waited before. */
  limitWaiting(): void {
    const { maxWaitMs } = this.options;
    if (this.#waitTimer.isSet || maxWaitMs === 0) return;
    this.#waitTimer.set(maxWaitMs, () => {
      const isOpen = this.link.state === 'open';
      // What is in flight may go on over the next connection.
      if (isOpen) this.link.drop('without a new token');
      const why = this.link.reason?.message ?? 'there is no connection';
      const error = new RpcError('NOT_EXECUTED', `waited ${maxWaitMs} ms (maxWaitMs): ${why}`);
      if (isOpen) this.#rejectUnsent(error);
      else this.#drop(error, true);
      this.link.rest();
    });
  }

  /** Ends the connection for good; calls that have not settled reject. */
  close(): void {
    if (this.link.isFinal) return;
    // Over what cannot be probed nobody knows the client by its name, under which results are stored.
    if (this.isReady) this.outgoing.results?.leave(this.link.canProbe);
    this.flush();
    this.link.close(closedError());
  }

  /** Settles all calls: nothing will come of them. */
  #drop(error: RpcError, mayHaveRun: boolean): void {
    this.#clear();
    this.end(error, mayHaveRun);
    for (const state of this.states) state.waited?.(error);
  }

  /** Rejects the calls of frames that wait to be sent for the first time, or once more after a refusal. */
  #rejectUnsent(error: RpcError): void {
    const { waiting } = this;
    this.waiting = waiting.filter(({ sent }) => sent);
    this.#waitingBytes = 0;
    for (const frame of waiting) if (!frame.sent) this.outgoing.table.reject(frame, error);
    for (const state of this.states) state.waited?.(error);
  }

  /** Has nothing wait any more. */
  #clear(): void {
    this.#waitTimer.stop();
    this.isolation?.stop();
    this.waiting = [];
    this.#waitingBytes = 0;
  }
}

/** Makes the error of calls after `close()`. */
export function closedError(): RpcError {
  return new RpcError('NOT_EXECUTED', 'the connection was closed: with "using", await calls inside its block');
}
