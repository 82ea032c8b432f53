import { RpcError } from '../../errors/rpc-error.ts';
import { type ChannelSignal, failureContent, isBytes, RAISE_FOR_BYTES } from '../../protocol/channel.ts';
import type { Peer } from '../../session/peer.ts';

/** A kind of values that channels carry: how its chunks are produced and consumed, and how it ends. */
export interface ChannelKind {
  /** The name of what stands for its values in frames. */
  readonly name: string;
  /** True if the first chunk is the last. */
  readonly isSingle?: boolean;
  /** True if the side that receives it produces the chunks, and waits until all of them are handled. */
  readonly isSink?: boolean;
  /** True if it is only an argument, and ends with its call. */
  readonly isOfCall?: boolean;
  is(value: object): boolean;
  /** Returns what a value travels as beside its channel; after null, without one. */
  parts?(value: object): unknown[];
  /** Begins to send the chunks of a value of ours, or to take those of a sink. */
  begin(value: object, end: Channel): void;
  /**
   * Makes what stands for a value of the other side. `held` is collected when nobody can use it any more; undefined where its
   * channel goes on without.
   */
  receive(end: Channel, parts: readonly unknown[]): readonly [value: unknown, held?: object];
}

/** State that the ends of all channels of a connection share. */
export interface ChannelTable {
  readonly peer: Peer;
  /** Bytes read from the Blobs and the like in the chunk being written. */
  readonly bodies: Map<object, Uint8Array>;
  /**
   * Sends a signal and returns what it costs.
   * @throws {CloneError | RpcError} where its content cannot be sent; then nothing was
   */
  write(signal: ChannelSignal): number;
  /** Takes a channel out: it says and hears nothing more. */
  left(channel: Channel): void;
}

/** This side's end of a channel. */
export abstract class Channel {
  readonly ref: number;
  readonly kind: ChannelKind;
  /** True while the other side speaks or listens. */
  isOpen = true;
  /** The most credit that a producer takes and a consumer gives, in bytes. */
  protected readonly maxWindow: number;
  protected readonly table: ChannelTable;
  /** Notes that nothing is left to do here. */
  readonly #done: () => void;
  #isFirst = true;

  constructor(ref: number, table: ChannelTable, kind: ChannelKind) {
    const { peer } = table;
    this.ref = ref;
    this.table = table;
    this.kind = kind;
    this.maxWindow = peer.settings.limits.maxStreamWindowBytes;
    this.#done = peer.busy();
  }

  /**
   * Handles what the other end says; `cost`: the memory that it takes.
   * @throws {RpcError} where it may not say that
   */
  abstract receive(kind: number, content: unknown, cost: number): void;
  /** Ends it for the reason given, without telling the other side. */
  abstract lost(reason: unknown): void;
  /** Ends it and tells the other side: nobody here will use it. */
  abstract abandon(reason: unknown): void;

  /** By how much a chunk raises the window: what carries bytes begins with a larger one. */
  protected raiseFor(chunk: unknown): number {
    const raise = this.#isFirst && isBytes(chunk) ? RAISE_FOR_BYTES : 0;
    this.#isFirst = false;
    return raise;
  }

  protected send(kind: number, content?: unknown): number {
    return this.table.write(content === undefined ? [this.ref, kind] : [this.ref, kind, content]);
  }

  /** Sends an error or a reason, or where that cannot be sent, why. */
  protected sendFailure(kind: number, failure: unknown): void {
    try {
      this.send(kind, failureContent(failure));
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      this.send(kind, failureContent(new RpcError('NOT_CLONEABLE', `what ended a stream cannot be sent: ${reason}`)));
    }
  }

  /** Ends this end, for the other one too. */
  leave(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.table.left(this);
  }

  /** Has an object no longer stay awake for it. */
  protected release(): void {
    this.#done();
  }
}
