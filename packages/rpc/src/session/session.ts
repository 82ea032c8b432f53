import type { Extension } from '@lumenize/structured-clone';
import { asRpcError, type RpcError } from '../errors/rpc-error.ts';
import { malformedFrame } from '../protocol/errors.ts';
import { splitMessage } from '../protocol/frame-part.ts';
import { type FrameEntries, type FrameHost, RefusedFrame } from '../protocol/frame-reader.ts';
import { countedBytes, type Message } from '../protocol/message.ts';
import { RESENT_OVERHEAD_BYTES } from '../protocol/resent.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { Signal } from '../protocol/signal.ts';
import { PART, RESENT, RESULT, TOPIC } from '../protocol/tags.ts';
import { Channels } from './channels/channels.ts';
import type { PrepareArguments } from './extension.ts';
import type { Bounds, SharedLoad } from './incoming/admission.ts';
import type { CallContext, Caller, SessionCounts } from './incoming/call-context.ts';
import type { Pending } from './incoming/held-results.ts';
import { Incoming } from './incoming/incoming.ts';
import type { IncomingHost } from './incoming/incoming-host.ts';
import type { ResultStore } from './incoming/result-store.ts';
import { runFrame } from './incoming/run.ts';
import { MessageParts } from './message-parts.ts';
import type { Observer } from './observe/observer.ts';
import { Call, type OutgoingFrame, type Passed } from './outgoing/call.ts';
import { type Node, nodeOf } from './outgoing/node.ts';
import { Outgoing, type OutgoingHost } from './outgoing/outgoing.ts';
import type { StubSession } from './outgoing/stub.ts';
import { dispose } from './references/by-reference.ts';
import { Exports, type ExportsWatcher } from './references/exports.ts';
import { Imports } from './references/imports.ts';
import type { SessionSettings } from './settings.ts';
import { type Made, type TravelHost, Travelling } from './travelling.ts';
import { Waiting } from './waiting.ts';

/**
 * The state of one connection on either side. Both can call and be called: what differs is who speaks first, what their
 * frames mostly hold, and what becomes of a lost connection.
 */
export abstract class Session implements FrameHost, StubSession, TravelHost, OutgoingHost, IncomingHost {
  abstract readonly target: unknown;
  abstract readonly caller: Caller | undefined;
  abstract readonly isStateless: boolean;
  /** Told of each call, made or answered. */
  abstract readonly observer: Observer | undefined;
  /** The length of the message that arrived last. */
  messageBytes = 0;
  readonly settings: SessionSettings;
  readonly expects: 'calls' | 'results';
  readonly #sharedLoad: SharedLoad;
  // Made on first use: of thousands of connections that mostly idle, few need them.
  #travelling: Travelling | undefined;
  #incoming: Incoming | undefined;
  #outgoing: Outgoing | undefined;
  #parts: MessageParts | undefined;
  #imports: Imports | undefined;
  #exports: Exports | undefined;
  #channels: Channels | undefined;
  #waiting: Waiting | undefined;

  constructor(settings: SessionSettings, sharedLoad: SharedLoad = { calls: 0, succeeded: 0, failed: 0 }) {
    this.settings = settings;
    this.expects = settings.side === 'server' ? 'calls' : 'results';
    this.#sharedLoad = sharedLoad;
  }

  abstract close(): void;
  abstract sendCalls(frame: OutgoingFrame): void;
  abstract onError(error: unknown, method: string, call: CallContext | undefined): void;
  /** Told of calls and frames that were refused: servers count them. */
  onRefused(_error: RpcError, _method: string | undefined): void {}

  /** Resolves when more may be sent; undefined where that is so already. */
  get drained(): Promise<void> | undefined {
    return undefined;
  }

  // What only servers do.
  receiveOther?(signal: Signal): void;
  resume?(outcome: Outcome, after: number): Outcome;
  restore?(id: number): Pending | undefined;
  extendOther?(value: object, isArgument: boolean): Made | undefined;

  /** Told that a message has begun to arrive in parts; what it returns is called when no more of it is to come. */
  awaitParts?(): () => void;

  /** Bounds for what the other side asks for: servers have them. */
  get bounds(): Bounds | undefined {
    return undefined;
  }

  /** Makes what stands for a subscription; `callId`: the call that it is a result of. */
  abstract reviveTopic(parts: unknown[], callId: number | undefined): unknown;
  abstract receiveEvents(frame: FrameEntries): void;

  /** Sends one frame that is small enough. */
  protected abstract sendFrame(message: Message): void;
  /** Ends the connection, because of something that arrived. */
  abstract refuseConnection(error: RpcError): void;

  /** Whether the connection has ended: one of a client is followed by another. */
  get isOver(): boolean {
    return false;
  }

  /** The first id to give to what is sent, and to calls: none that an earlier life of the session has given. */
  get firstId(): number {
    return 0;
  }

  /** Where results of exactly-once calls are stored, if there is such a place. */
  get results(): ResultStore | undefined {
    return undefined;
  }

  get prepare(): PrepareArguments | undefined {
    return this.settings.tables.prepare;
  }

  protected get incoming(): Incoming {
    this.#incoming ??= new Incoming(this, this.#sharedLoad);
    return this.#incoming;
  }

  get outgoing(): Outgoing {
    this.#outgoing ??= new Outgoing(this);
    return this.#outgoing;
  }

  /** Where calls go, for observers. */
  get description(): string | undefined {
    return undefined;
  }

  get unsentBytes(): number {
    return this.#outgoing?.unsentBytes ?? 0;
  }

  get travelling(): Travelling {
    this.#travelling ??= new Travelling(this);
    return this.#travelling;
  }

  get imports(): Imports {
    this.#imports ??= new Imports(
      () => this.settings.limits.maxReferences,
      (id, count, collected) => this.outgoing.release(id, count, collected),
    );
    return this.#imports;
  }

  get exports(): Exports {
    this.#exports ??= new Exports(
      this.settings.limits.maxReferences,
      this.firstId,
      (value) => this.letGo(value),
      this.exportsWatcher,
    );
    return this.#exports;
  }

  protected get exportsWatcher(): ExportsWatcher | undefined {
    return undefined;
  }

  get channels(): Channels {
    this.#channels ??= new Channels(this);
    return this.#channels;
  }

  /** What waits on this connection. */
  get waiting(): Waiting {
    this.#waiting ??= new Waiting(this.settings.limits.maxBytesInFlight);
    return this.#waiting;
  }

  get counts(): SessionCounts {
    return {
      callsInFlight: this.#outgoing?.size ?? 0,
      exports: this.#exports?.size ?? 0,
      imports: this.#imports?.size ?? 0,
      channels: this.#channels?.size ?? 0,
      heldResults: this.#incoming?.heldCount ?? 0,
    };
  }

  /** Disposes of what the other side holds no more, be it as a reference or as the result of a step; not of what the connection itself is about. */
  letGo(value: object): void {
    if (value === this.target || this.#exports?.holds(value) || this.#incoming?.holds(value)) return;
    dispose(value);
  }

  call(call: Call, node: Node, args: unknown[] | undefined): void {
    this.#channels?.flush();
    this.outgoing.call(call, node, args);
  }

  extendArgument(value: object): Extension | undefined {
    const node = nodeOf(value);
    const isComing = node?.owner === this && node.base instanceof Call && node.base.outcome === undefined;
    return isComing
      ? { name: RESULT, parts: [this.outgoing.address(node), ...node.path] }
      : this.travelling.extend(value, true);
  }

  written(kept: boolean, call?: Call): readonly Passed[] | undefined {
    return this.#travelling?.written(kept, call);
  }

  revive(name: string, parts: unknown[], argumentOf?: number, resultOf?: number): unknown {
    return name === TOPIC ? this.reviveTopic(parts, resultOf) : this.travelling.revive(name, parts, argumentOf);
  }

  receiveChannel(entry: unknown, cost: number): void {
    this.channels.receive(entry, cost);
  }

  channelsUnreadable(error: RpcError): void {
    this.channels.unreadable(error);
  }

  settle(id: number, outcome: Outcome): void {
    const isWanted = this.#outgoing?.table.answer(id, outcome) ?? false;
    this.#channels?.settle(isWanted);
  }

  stored(id: number): void {
    this.outgoing.stored(id);
  }

  refused(firstId: number, index: number, error: RpcError): void {
    this.#outgoing?.table.refused(firstId, index, error);
  }

  sendReplies(message: Message): void {
    // What a method called before it returned arrives before its result.
    this.flush();
    this.send(message);
  }

  /** The channels, where there have been any. */
  get openChannels(): Channels | undefined {
    return this.#channels;
  }

  /** The references of the other side, where there have been any. */
  get openImports(): Imports | undefined {
    return this.#imports;
  }

  /** Notes that something is going on, which the object has to stay awake for, until what it returns is called. */
  busy(): () => void {
    return this.incoming.busy();
  }

  /** Sends the calls and signals that have been written. Of the two only one has any: each goes before the other begins. */
  protected flush(): void {
    this.#outgoing?.flush();
    this.#channels?.flush();
  }

  /**
   * Handles a message that arrived: settles the calls that it answers, or runs those that it makes. What came in parts holds
   * no parts: each would be a copy of all within it.
   */
  protected receiveMessage(message: Message, cameInParts = false): void {
    let frame: ReturnType<SessionSettings['read']>;
    this.messageBytes = message.length;
    try {
      frame = this.settings.read(message, this);
      if (frame?.kind === PART) {
        if (cameInParts) throw malformedFrame('a part inside of a message in parts');
        return this.#receivePart(frame);
      }
      if (this.#parts?.isOpen) throw malformedFrame('a frame between the parts of another');
      if (frame?.kind === RESENT) return this.receiveAgain(frame);
    } catch (error) {
      if (error instanceof RefusedFrame) return this.incoming.refuseUnread(error);
      return this.refuseConnection(asRpcError(error, 'MALFORMED_FRAME'));
    }
    if (frame === undefined) return;
    try {
      runFrame(this.incoming, frame);
    } catch (error) {
      this.refuseConnection(asRpcError(error, 'MALFORMED_FRAME'));
    }
  }

  /** Handles a frame that was sent before. */
  protected receiveAgain(_frame: FrameEntries): void {
    throw malformedFrame('a frame that was sent before');
  }

  /** Sends calls and results that have been written. */
  flushOthers(): void {
    this.#incoming?.replies.flush();
    this.#outgoing?.flush();
  }

  /** Sends a message, in parts where it is larger than a frame may be. */
  protected send(message: Message): void {
    const { maxFrameBytes } = this.settings.limits;
    if (this.isStateless || countedBytes(message, maxFrameBytes) <= maxFrameBytes) return this.sendFrame(message);
    for (const part of splitMessage(message, maxFrameBytes)) this.sendFrame(part);
  }

  /**
   * Settles and lets go of everything: the connection is gone. `mayHaveRun` says whether what was sent can have run. With
   * `isResumed`, calls that can be made over another connection stay.
   */
  protected end(reason: RpcError, mayHaveRun: boolean, isResumed = false): void {
    this.#outgoing?.lost(reason, mayHaveRun, isResumed);
    this.#incoming?.lost(reason);
    this.#channels?.lost(reason);
    this.#imports?.lost(`the connection to what this stub stood for is gone: ${reason.message}`);
    this.#parts?.clear();
    const exports = this.#exports;
    this.#exports = undefined;
    exports?.clear();
  }

  #receivePart(part: FrameEntries): void {
    // The rest would have to come with the next request, of which this session will not know.
    if (this.isStateless) throw malformedFrame('a part of a frame, where frames come whole');
    this.#parts ??= new MessageParts(this.settings.limits.maxMessageBytes + RESENT_OVERHEAD_BYTES, this);
    const message = this.#parts.add(part);
    if (message !== undefined) this.receiveMessage(message, true);
  }
}
