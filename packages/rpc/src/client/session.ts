import { RpcError } from '../errors/rpc-error.ts';
import type { Message } from '../protocol/message.ts';
import { writeResent } from '../protocol/resent.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import { TOKEN_CALL_ID } from '../protocol/tags.ts';
import type { TokenRenewal } from '../session/extension.ts';
import type { CallContext } from '../session/incoming/call-context.ts';
import type { Observer } from '../session/observe/observer.ts';
import type { Call, OutgoingFrame } from '../session/outgoing/call.ts';
import type { Node } from '../session/outgoing/node.ts';
import { Session } from '../session/session.ts';
import { since, Timer } from '../session/timer.ts';
import { Backlog } from './backlog.ts';
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
  /** Counts what has gone over all connections. */
  readonly traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };
  readonly link: Link;
  /** Renews its token; undefined where nothing does. */
  readonly renewal: TokenRenewal | undefined;
  readonly backlog = new Backlog(this);
  /** Went with the request for the connection that is being made. */
  #early: OutgoingFrame | undefined;
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
  }

  get isWaiting(): boolean {
    return this.outgoing.size > 0;
  }

  /** True if calls are sent at once. */
  get isReady(): boolean {
    return this.link.state === 'open' && !this.renewal?.isHolding;
  }

  call(call: Call, node: Node, args: unknown[] | undefined): void {
    if (this.link.state !== 'open' || this.renewal?.isHolding) {
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
    if (this.link.state === 'open' && !this.renewal?.isHolding) return this.transmit(frame);
    if (this.link.state === 'closed' || !this.backlog.add(frame)) return;
    this.limitWaiting();
    if (this.link.state === 'idle') this.link.connect();
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
    // What answers a call over a connection that is gone has nobody to go to.
    if (this.link.state !== 'open') return;
    this.traffic.framesSent++;
    this.traffic.bytesSent += message.length;
    this.link.send(message);
  }

  received(message: Message): void {
    this.traffic.framesReceived++;
    this.traffic.bytesReceived += message.length;
    this.receiveMessage(message);
  }

  answered(frames: readonly Message[]): void {
    this.outgoing.table.answered(frames);
  }

  override settle(id: number, outcome: Outcome): void {
    if (id === TOKEN_CALL_ID) return this.renewal?.answered(outcome);
    // While the call is still there.
    for (const state of this.states) state.resultRead?.(id, outcome, this.outgoing.table.get(id));
    super.settle(id, outcome);
    if (this.backlog.frames.length > 0) this.backlog.settled();
  }

  override refused(firstId: number, index: number, error: RpcError): void {
    const refuse = () => super.refused(firstId, index, error);
    for (const state of this.states) state.callsRefused?.(firstId, error);
    if (this.renewal === undefined) refuse();
    else this.renewal.refused(firstId, error, refuse);
  }

  refuseConnection({ code, message }: RpcError): void {
    this.link.refuse(new RpcError(code, `from server: ${message}`));
  }

  onError(error: unknown, method: string, call: CallContext | undefined): void {
    this.options.onError?.(error, method, call);
  }

  early(): Message | undefined {
    this.#early = this.settings.tables.early?.(this);
    return this.#early?.message;
  }

  opened(isAhead: boolean): void {
    if (isAhead && this.#early !== undefined) this.backlog.ahead(this.#early);
    // Else it would never be collected.
    this.#early = undefined;
    this.renewal?.opened();
    this.release();
  }

  /** Sends what has waited. */
  release(): void {
    this.#waitTimer.stop();
    this.backlog.release();
    for (const state of this.states) state.opened?.();
  }

  lost({ error, wasOpen, mayHaveRun, isBlamed, isTemporary }: Loss): void {
    this.renewal?.lost();
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
    this.backlog.lost(() => this.end(error, mayHaveRun, !isBlamed));
    if (this.outgoing.table.size > 0 || this.renewal?.isPending) this.limitWaiting();
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
      if (isOpen) {
        this.backlog.rejectUnsent(error);
        this.renewal?.ended(error);
      } else this.#drop(error, true);
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
    this.#waitTimer.stop();
    this.backlog.clear();
    this.end(error, mayHaveRun);
    this.renewal?.ended(error);
  }
}

/** Makes the error of calls after `close()`. */
export function closedError(): RpcError {
  return new RpcError('NOT_EXECUTED', 'the connection was closed: with "using", await calls inside its block');
}
