import { RpcError } from '../../errors/rpc-error.ts';
import { type ChannelSignal, failureContent, isBytes, RAISE_FOR_BYTES } from '../../protocol/channel.ts';
import type { Session } from '../../session/session.ts';

/** A kind of values that channels carry. It defines how chunks are produced and consumed, and how a channel ends. */
export interface ChannelKind {
  /** The name that stands for its values in frames. */
  readonly name: string;
  /** True if a channel carries only one chunk. */
  readonly isSingle?: boolean;
  /** True if the side that receives the value produces the chunks, and waits until all of them are handled. */
  readonly isSink?: boolean;
  /** True if the value can only be an argument, and ends with its call. */
  readonly isOfCall?: boolean;
  is(value: object): boolean;
  /** Returns the parts that are sent after the channel's id. If the first part is null, the value has no channel. */
  parts?(value: object): unknown[];
  /** Starts to send the chunks of a value of this side, or to receive the chunks of a sink. May reject, not throw. */
  begin(value: object, end: Channel): Promise<void> | void;
  /**
   * Creates the value that stands for a value of the peer. `held` is garbage collected when nobody can use the value
   * any more, which ends the channel. It is undefined if the channel continues without it.
   */
  revive(end: Channel, parts: readonly unknown[]): readonly [value: unknown, held?: object];
}

/** The state that all channels of a connection share. */
export interface ChannelTable {
  readonly peer: Session;
  /** Bytes read from Blobs and the like in the chunk that is being written. */
  readonly bodies: Map<object, Uint8Array>;
  /**
   * Sends a signal and returns its cost in bytes.
   * @throws {CloneError | RpcError} if its content cannot be sent; then nothing is sent
   */
  write(signal: ChannelSignal): number;
  /** Removes a channel, which sends and receives nothing more. */
  left(channel: Channel): void;
}

/** This side's end of a channel. */
export abstract class Channel {
  readonly ref: number;
  readonly kind: ChannelKind;
  /** True until this end has been closed. */
  isOpen = true;
  /** The largest credit that a producer accepts and a consumer gives, in bytes. */
  protected readonly maxWindow: number;
  protected readonly table: ChannelTable;
  /** Called when this end has nothing left to do. */
  readonly #done: (() => void) | undefined;
  #isFirst = true;

  constructor(ref: number, table: ChannelTable, kind: ChannelKind) {
    const { peer } = table;
    this.ref = ref;
    this.table = table;
    this.kind = kind;
    // Without any room, no chunk would ever be sent.
    this.maxWindow = Math.max(1, peer.settings.limits.maxStreamWindowBytes);
    this.#done = peer.busy?.();
  }

  /**
   * Handles a signal of the other end. `cost` is the memory that it takes, in bytes.
   * @throws {RpcError} if the other end may not send it
   */
  abstract handle(kind: number, content: unknown, cost: number): void;
  /** Ends the channel for the given reason, without telling the peer. */
  abstract destroy(reason: unknown): void;
  /** Ends the channel and tells the peer, because this side has no further use for it. */
  abstract abandon(reason: unknown): void;

  /** Returns by how many bytes a chunk raises the window, which is larger if the first chunk of a channel is bytes. */
  protected raiseFor(chunk: unknown): number {
    const raise = this.#isFirst && isBytes(chunk) ? RAISE_FOR_BYTES : 0;
    this.#isFirst = false;
    return raise;
  }

  protected send(kind: number, content?: unknown): number {
    return this.table.write(content === undefined ? [this.ref, kind] : [this.ref, kind, content]);
  }

  /** Sends an error or a reason. If it cannot be sent, sends an error that says why, or one without its `data`. */
  protected sendFailure(kind: number, failure: unknown): void {
    try {
      this.send(kind, failureContent(failure));
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      const [code, message] =
        failure instanceof RpcError
          ? [failure.code, failure.message]
          : ['NOT_CLONEABLE', `what ended a stream cannot be sent: ${reason}`];
      this.send(kind, [code, message]);
    }
  }

  /** Closes this end, and removes it from the table. The other end has closed, or knows that it has to. */
  leave(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.table.left(this);
  }

  /** Lets the object sleep again, unless something else keeps it awake. */
  protected release(): void {
    this.#done?.();
  }
}
