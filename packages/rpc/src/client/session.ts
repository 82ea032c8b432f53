import { RpcError } from '../errors/rpc-error.ts';
import { countedBytes, type Message } from '../protocol/message.ts';
import { writeResent } from '../protocol/resent.ts';
import { NOTICE_ID } from '../protocol/tags.ts';
import type { EarlyFrame, Isolation, TokenRenewal } from '../session/extension.ts';
import type { CallContext } from '../session/incoming/call-context.ts';
import type { Observer } from '../session/observe/observer.ts';
import { type Call, hasUsedSteps, type OutgoingFrame, takeBack } from '../session/outgoing/call.ts';
import { MAX_LOSSES } from '../session/outgoing/call-table.ts';
import type { Node } from '../session/outgoing/node.ts';
import { Session } from '../session/session.ts';
import { moment, since, Timer } from '../session/timer.ts';
import { type Link, type LinkEvents, linkOf } from './link.ts';
import { type Loss, rejectLater } from './loss.ts';
import type { ClientOptions } from './options.ts';

/**
 * The client's side of a connection. Calls wait while there is no connection, and calls that were in flight at a loss
 * are sent again.
 */
export class ClientSession extends Session implements LinkEvents {
  // Members that only servers have.
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
  /** Renews the token. Undefined without the extension. */
  readonly renewal: TokenRenewal | undefined;
  /** Decides which frames may have caused losses of connections. Undefined without the extension. */
  readonly isolation: Isolation | undefined;
  /** True if calls are sent at once: there is a connection, and no new token is awaited. */
  isReady = false;
  /** Frames that wait to be sent, or to be sent again. */
  waiting: OutgoingFrame[] = [];
  #waitingBytes = 0;
  /** The frame that goes with the request for the connection that is being made. */
  #early: EarlyFrame | undefined;
  /** Runs while calls wait, and rejects them after `maxWaitMs`. */
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
      if (error !== undefined) return rejectLater(() => call.fail(error));
    }
    this.outgoing.call(call, node, args);
  }

  /** Returns the error of a call that cannot wait for a connection; undefined if it can. */
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
    let bytes = this.#bytesWith(frame);
    if (bytes > maxQueuedBytes && this.waiting.some(({ givenUp }) => givenUp.length > 0)) {
      this.#dropGivenUp();
      bytes = this.#bytesWith(frame);
    }
    // A frame that holds only signals is always kept. Other limits bound its signals, and the peer would get out of
    // step without them.
    if (bytes > maxQueuedBytes && frame.answered > 0) {
      for (const signal of frame.signals) outgoing.signal(signal);
      const message = `not sent: ${maxQueuedBytes} bytes (maxQueuedBytes) of calls wait for a connection`;
      return rejectLater(() => outgoing.table.reject(frame, new RpcError('OVERLOADED', message)));
    }
    this.#waitingBytes = bytes;
    // Channels write frames without asking for which connection.
    frame.life = outgoing.life;
    this.waiting.push(frame);
    this.limitWaiting();
    if (link.state === 'idle') link.connect();
  }

  /** Returns the bytes of the frames that wait, together with another one. */
  #bytesWith({ message }: OutgoingFrame): number {
    return this.#waitingBytes + countedBytes(message!, this.options.maxQueuedBytes, this.#waitingBytes);
  }

  /** Drops the waiting frames whose calls were all given up or rejected, and counts the bytes of the others again. */
  #dropGivenUp(): void {
    const { outgoing } = this;
    const unsettled = outgoing.table.frames();
    this.#waitingBytes = 0;
    this.waiting = this.waiting.filter((frame) => {
      const { answered, life, sent, signals } = frame;
      // Frames of signals alone have no calls.
      const isGivenUp = !unsettled.has(frame) && answered > 0 && !hasUsedSteps(frame);
      if (isGivenUp) takeBack(frame);
      else if (!sent) this.#waitingBytes = this.#bytesWith(frame);
      // The peer still needs the signals about this connection.
      if (isGivenUp && !sent && life === outgoing.life) for (const signal of signals) outgoing.signal(signal);
      return !isGivenUp;
    });
  }

  /**
   * Sends a frame as it is. With `places`, sends a frame of an earlier connection again, but only its calls at these
   * places.
   */
  transmit(frame: OutgoingFrame, places?: readonly number[]): void {
    const ageMs = frame.sent ? since(frame.sentAt!) : undefined;
    if (!frame.sent && !this.isStateless) frame.sentAt = [performance.now(), Date.now()];
    frame.sent = true;
    this.send(places === undefined ? frame.message! : writeResent(ageMs, places, frame.message!));
  }

  protected sendFrame(message: Message): void {
    this.link.send(message);
  }

  answered(frames: readonly Message[]): void {
    this.outgoing.table.answered(frames);
  }

  override refused(firstId: number, index: number, error: RpcError): void {
    if (firstId === NOTICE_ID) return this.renewal?.expired(error);
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
    // Allows the frame to be collected.
    this.#early = undefined;
    this.release();
  }

  /** Sends the frames that have waited, and lets calls be sent at once from now on. */
  release(): void {
    const { isolation, waiting } = this;
    this.isReady = true;
    this.#clear();
    if (isolation === undefined) this.resend(waiting);
    else isolation.release(waiting);
    for (const state of this.states) state.opened?.();
  }

  /** Sends frames that have waited, without the calls that have settled since. */
  resend(frames: readonly OutgoingFrame[]): void {
    const { outgoing } = this;
    const unsettled = outgoing.table.frames();
    for (const frame of frames) {
      const { answered, firstId, life, sent, signals, steps = [] } = frame;
      const places = unsettled.get(frame)?.map(({ id }) => id - firstId) ?? [];
      // Calls and signals that depend on an earlier connection mean nothing, or something else, over this one. The
      // frame also says that its steps are not answered, but one may have been asked for when a connection was lost.
      const isWhole = !sent && life === outgoing.life && !steps.some(({ id }) => outgoing.table.has(id));
      // If no call is wanted any more, its signals still are, and steps that later frames use.
      const isNeeded = isWhole && (signals.length > 0 || hasUsedSteps(frame));
      if (places.length === 0 && answered > 0 && !isNeeded) takeBack(frame);
      else {
        outgoing.noteResent(frame, isWhole);
        this.transmit(frame, isWhole ? undefined : places);
      }
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
    // Extensions are told of the loss even if no call waits. A subscription, for example, makes up for missed events or
    // reports them, however long the loss lasts.
    for (const state of this.states) state.disconnected?.(error, !isBlamed);
    const { isolation } = this;
    const { table } = this.outgoing;
    const waiting = new Set(this.waiting);
    this.#countLoss(waiting);
    this.end(error, mayHaveRun, !isBlamed);
    isolation?.apart(waiting);
    // A step whose result is asked for is in the table behind the calls of later frames.
    this.waiting = [...table.frames().keys()].sort((a, b) => a.firstId - b.firstId);
    this.#dropGivenUp();
    isolation?.stop();
    if (table.size > 0) this.limitWaiting();
  }

  /** Counts a loss against the frames that were under way, which excludes those in `waiting`. */
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

  /** Starts the timer that bounds how long calls wait, unless it runs already. */
  limitWaiting(): void {
    const { maxWaitMs } = this.options;
    if (this.#waitTimer.isSet || maxWaitMs === 0) return;
    this.#waitTimer.set(maxWaitMs, () => {
      const isOpen = this.link.state === 'open';
      // Calls in flight may go on over the next connection. Those that are known not to have run do not.
      if (isOpen) this.link.drop('without a new token');
      const why = this.link.reason?.message ?? 'there is no connection';
      const error = new RpcError('NOT_EXECUTED', `waited ${maxWaitMs} ms (maxWaitMs): ${why}`);
      if (isOpen) {
        for (const frame of this.waiting) if (!frame.sent) this.outgoing.table.reject(frame, error);
        // Otherwise they would be sent for a later call that uses one of their steps.
        this.#dropGivenUp();
        for (const state of this.states) state.waited?.(error);
      } else this.#drop(error, true);
      this.link.rest();
    });
  }

  /** Ends the connection for good. Calls that have not settled reject. */
  close(): void {
    if (this.link.isFinal) return;
    // A transport that cannot be probed does not tell the server the client's name, under which results are stored.
    if (this.isReady) this.outgoing.results?.leave(this.link.canProbe);
    // Without a connection, calls that were just made would begin to make one.
    if (this.link.state === 'open') this.flush();
    this.link.close(closedError());
  }

  /** Rejects all calls, and empties the queue. */
  #drop(error: RpcError, mayHaveRun: boolean): void {
    this.#clear();
    this.end(error, mayHaveRun);
    for (const state of this.states) state.waited?.(error);
  }

  /** Empties the queue of waiting frames and stops the timers. */
  #clear(): void {
    this.#waitTimer.stop();
    this.isolation?.stop();
    this.waiting = [];
    this.#waitingBytes = 0;
  }
}

/** Returns the error of calls after `close()`. */
export function closedError(): RpcError {
  return new RpcError('NOT_EXECUTED', 'the connection was closed: with "using", await calls inside its block');
}
