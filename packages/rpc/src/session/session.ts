import { asRpcError, type RpcError } from '../errors/rpc-error.ts';
import { malformedFrame, missingExtensionError } from '../protocol/errors.ts';
import type { FrameEntries, FrameHost } from '../protocol/frame-reader.ts';
import { BYTES_A_UNIT, countedBytes, type Message } from '../protocol/message.ts';
import type { RefusedFrame } from '../protocol/operation.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { Signal } from '../protocol/signal.ts';
import { RESENT, TOKEN_CALL_ID, VALUE } from '../protocol/tags.ts';
import type { Position } from '../protocol/topic.ts';
import type { Bounds, SharedLoad, Waiting } from './admission.ts';
import type { Answers, ExtensionState } from './extension.ts';
import type { CallContext, Caller, SessionCounts } from './incoming/call-context.ts';
import type { ResultStore } from './incoming/delivery.ts';
import type { Turns } from './incoming/turns.ts';
import type { Observer } from './observe/observer.ts';
import type { Call, OutgoingFrame } from './outgoing/call.ts';
import type { Node } from './outgoing/node.ts';
import { Outgoing, type OutgoingHost } from './outgoing/outgoing.ts';
import type { StubSession } from './outgoing/stub.ts';
import type { ExportsWatcher } from './references/exports.ts';
import type { SessionSettings } from './settings.ts';
import type { MadeReference } from './travelling.ts';

/** The extension states of a connection without extensions. */
const NONE: readonly ExtensionState[] = [];

/**
 * The state of one connection, on either side. Both sides can call and answer. They differ in who speaks first, in what
 * their frames mostly hold, and in how they treat a lost connection.
 */
export abstract class Session implements FrameHost, StubSession, OutgoingHost {
  /** The receiver of operations that name no other; undefined on a client. */
  abstract readonly target: unknown;
  abstract readonly caller: Caller | undefined;
  /** True if nothing outlives a frame of this connection, so that nothing can be referred to later. */
  abstract readonly isStateless: boolean;
  /** Observes each call that is made or answered. */
  abstract readonly observer: Observer | undefined;
  /** Limits on the requests of the peer. Only servers have them. */
  abstract readonly bounds: Bounds | undefined;
  /** The store of the results of exactly-once calls, if there is one. */
  abstract readonly results: ResultStore | undefined;
  /** Called when values are sent by reference, and when they are released. */
  abstract readonly exportsWatcher: ExportsWatcher | undefined;
  /** A promise that resolves when more may be sent; undefined if more may be sent now. */
  abstract readonly drained: Promise<void> | undefined;
  /** The name of the destination of calls, for observers. */
  abstract readonly description: string | undefined;
  /** The first id to give to calls and to values that are sent. No earlier life of the session has used it. */
  abstract readonly firstId: number;
  readonly expects: 'calls' | 'results';
  readonly settings: SessionSettings;
  /** The load of the object, over all of its connections. */
  readonly load: SharedLoad;
  /** Checks each message that arrives between the parts of another message; undefined while no parts are missing. */
  checkPart: ((message: Message) => void) | undefined;
  /** The length of the message that arrived last. */
  messageBytes = 0;
  /** True once the connection has ended for good. Stays false on a client, which makes another connection. */
  isOver = false;
  // Created on first use: of thousands of connections that are mostly idle, few need these.
  /** The states of the extensions on this connection. */
  states: readonly ExtensionState[] = NONE;
  /** The references made for the value that is being written. */
  made: Map<object, MadeReference> | undefined;
  /** The work that waits on this connection: see `waitingOf`. */
  openWaiting: Waiting | undefined;
  #answers: Answers | undefined;
  #outgoing: Outgoing | undefined;

  constructor(settings: SessionSettings, load: SharedLoad = { calls: 0, succeeded: 0, failed: 0 }) {
    this.settings = settings;
    this.load = load;
    this.expects = settings.side === 'server' ? 'calls' : 'results';
  }

  abstract call(call: Call, node: Node, args: unknown[] | undefined): void;
  abstract close(): void;
  /** Sends a finished frame of calls as soon as possible. */
  abstract sendCalls(frame: OutgoingFrame): void;
  /** Called with the error of a method that threw, and for a result that could not be sent. */
  abstract onError(error: unknown, method: string, call: CallContext | undefined): void;
  /** Ends the connection because of a message that arrived. */
  abstract refuseConnection(error: RpcError): void;

  // Members that only servers implement.

  /** Called when a call of a method was refused, or a whole frame if there is no method. */
  onRefused?(error: RpcError, method: string | undefined, call?: CallContext): void;
  /**
   * Notes that work is in progress, which keeps the object awake until `finished` is called the same number of times.
   */
  started?(): void;
  finished?(): void;
  /**
   * Notes that work is in progress until the returned function is called. Calling that function again has no effect.
   */
  busy?(): () => void;
  /**
   * Creates the queue in which calls take turns if they take longer than their event. Without a queue, each call begins
   * as soon as it can.
   */
  createTurns?(host: { flush(): void }): Turns;
  /** Handles a signal that only one side knows. */
  handleOther?(signal: Signal): void;
  /** Makes a subscription that a method returned continue after the event with the number `after`. */
  resume?(outcome: Outcome, after: Position): Outcome;
  /** Handles a frame that the client sent before, over an earlier connection. */
  protected receiveResent?(frame: FrameEntries): void;

  /** Sends one frame that is within the size limit. */
  protected abstract sendFrame(message: Message): void;

  /** The half of the session that answers calls. */
  get answers(): Answers {
    // Without the `answer` extension the frame reader rejects calls, so this is never reached.
    this.#answers ??= this.settings.tables.answer!.create(this);
    return this.#answers;
  }

  get outgoing(): Outgoing {
    this.#outgoing ??= new Outgoing(this);
    return this.#outgoing;
  }

  get unsentBytes(): number {
    return this.#outgoing?.unsentBytes ?? 0;
  }

  get counts(): SessionCounts {
    const none = { exports: 0, imports: 0, channels: 0, heldResults: 0 };
    return Object.assign(
      { callsInFlight: this.#outgoing?.size ?? 0, ...none },
      ...this.states.map(({ counts }) => counts),
    );
  }

  /**
   * Returns the value that an extension of the codec stands for: one in the arguments of the call `argumentOf`, in the
   * result of the call `resultOf`, or elsewhere.
   */
  revive(name: string, parts: unknown[], argumentOf?: number, resultOf?: number): unknown {
    if (name === VALUE) return parts[0];
    const { needed, values } = this.settings.tables;
    const kind = values.get(name);
    if (kind?.read !== undefined) return kind.read(name, parts, this, argumentOf, resultOf);
    const missing = needed?.(name);
    throw missing === undefined
      ? malformedFrame(`type ${name} is unknown`)
      : missingExtensionError(missing, `a value (${name})`);
  }

  settle(id: number, outcome: Outcome): void {
    const table = this.#outgoing?.table;
    // Before `settle` removes the call from the table.
    for (const state of this.states) state.resultRead?.(id, outcome, table?.get(id));
    // The answer to a token tells nothing of the frames of calls that were sent before it.
    const isWanted = table?.settle(id, outcome, id !== TOKEN_CALL_ID) ?? false;
    for (const state of this.states) state.handled?.(isWanted);
  }

  stored(id: number): void {
    this.outgoing.results?.stored(id);
  }

  refused(firstId: number, index: number, error: RpcError): void {
    this.#outgoing?.table.refused(firstId, index, error);
  }

  /**
   * Sends the calls and signals that have been written. Only one of the two can hold anything, because each is sent
   * before the other begins.
   */
  flush(): void {
    this.#outgoing?.flush();
    for (const state of this.states) state.flush?.();
  }

  /** Handles a message that arrived: settles the calls that it answers, or runs the calls that it makes. */
  receiveMessage(message: Message): void {
    const { read, tables } = this.settings;
    this.messageBytes = message.length;
    try {
      this.checkPart?.(message);
      const frame = read(message, this);
      if (frame?.kind === RESENT) this.receiveResent!(frame);
      else if (frame !== undefined) tables.answer!.run(this.answers, frame);
    } catch (error) {
      // A refusal of calls names the first of them.
      if ((error as Partial<RefusedFrame>).firstId !== undefined) this.answers.refuseUnread(error as RefusedFrame);
      else this.refuseConnection(asRpcError(error, 'MALFORMED_FRAME'));
    }
  }

  /** Sends calls and results that have been written. */
  flushOthers(): void {
    this.#answers?.flush();
    this.#outgoing?.flush();
  }

  /** Sends a message, in parts if it is larger than a frame may be. */
  send(message: Message): void {
    const { limits, tables } = this.settings;
    const { maxFrameBytes } = limits;
    // Most messages are far below the limit, so their bytes need not be counted.
    const isSmall = BYTES_A_UNIT * message.length <= maxFrameBytes;
    if (isSmall || !tables.split || this.isStateless || countedBytes(message, maxFrameBytes) <= maxFrameBytes)
      return this.sendFrame(message);
    for (const part of tables.split(message, maxFrameBytes)) this.sendFrame(part);
  }

  /**
   * Settles all calls and releases everything, because the connection is gone. `mayHaveRun` is true if calls that were
   * sent can have run. With `isResumed`, calls that can be made over another connection are kept.
   */
  protected end(reason: RpcError, mayHaveRun: boolean, isResumed = false): void {
    this.#outgoing?.lost(reason, mayHaveRun, isResumed);
    for (const state of this.states) state.lost?.(reason);
    // Methods whose calls are aborted may pass something over the next connection.
    this.#answers?.lost(reason);
  }

  /** Returns the state of an extension on this connection, which is created on first use. */
  state<State extends ExtensionState>(Kind: new (peer: this) => State): State {
    for (const state of this.states) if (state instanceof Kind) return state;
    const made = new Kind(this);
    this.states = [...this.states, made];
    return made;
  }
}
