import { asRpcError, type RpcError } from '../errors/rpc-error.ts';
import type { FrameEntries, FrameHost } from '../protocol/frame-reader.ts';
import { BYTES_A_UNIT, countedBytes, type Message } from '../protocol/message.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import { RESENT } from '../protocol/tags.ts';
import type { SharedLoad } from './admission.ts';
import type { Answers } from './extension.ts';
import type { SessionCounts } from './incoming/call-context.ts';
import { Outgoing, type OutgoingHost } from './outgoing/outgoing.ts';
import type { StubSession } from './outgoing/stub.ts';
import { Peer } from './peer.ts';
import type { SessionSettings } from './settings.ts';

/**
 * The state of one connection, on either side. Both sides can call and answer. They differ in who speaks first, in what
 * their frames mostly hold, and in how they treat a lost connection.
 */
export abstract class Session extends Peer implements FrameHost, StubSession, OutgoingHost {
  readonly expects: 'calls' | 'results';
  #answers: Answers | undefined;
  #outgoing: Outgoing | undefined;

  constructor(settings: SessionSettings, load: SharedLoad = { calls: 0, succeeded: 0, failed: 0 }) {
    super(settings, load);
    this.expects = settings.side === 'server' ? 'calls' : 'results';
  }

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

  revive(name: string, parts: unknown[], argumentOf?: number, resultOf?: number): unknown {
    return this.travelling.revive(name, parts, argumentOf, resultOf);
  }

  settle(id: number, outcome: Outcome): void {
    const table = this.#outgoing?.table;
    // Before `settle` removes the call from the table.
    for (const state of this.states) state.resultRead?.(id, outcome, table?.get(id));
    const isWanted = table?.settle(id, outcome, true) ?? false;
    for (const state of this.states) state.settle?.(isWanted);
  }

  stored(id: number): void {
    this.outgoing.results?.stored(id);
  }

  refused(firstId: number, index: number, error: RpcError): void {
    this.#outgoing?.table.refused(firstId, index, error);
  }

  sendReplies(message: Message): void {
    // Calls that a method made before it returned must arrive before its result.
    if (this.#outgoing !== undefined || this.states.length > 0) this.flush();
    this.send(message);
  }

  /**
   * Sends the calls and signals that have been written. Only one of the two can hold anything, because each is sent
   * before the other begins.
   */
  protected flush(): void {
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
      if (frame?.kind === RESENT) this.receiveAgain!(frame);
      else if (frame !== undefined) tables.answer!.run(this.answers, frame);
    } catch (error) {
      if (!tables.answer?.refuse(this, error)) this.refuseConnection(asRpcError(error, 'MALFORMED_FRAME'));
    }
  }

  /** Handles a frame that the client sent before, over an earlier connection. Only servers receive such frames. */
  protected receiveAgain?(frame: FrameEntries): void;

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
    this.#answers?.lost(reason);
    for (const state of this.states) state.lost?.(reason);
  }
}
