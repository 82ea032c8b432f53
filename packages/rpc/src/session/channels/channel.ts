import { RpcError } from '../../errors/rpc-error.ts';
import { failureContent, isBytes, RAISE_FOR_BYTES } from '../../protocol/channel.ts';
import { ABORT_SIGNAL, PROMISE, WRITABLE } from '../../protocol/tags.ts';
import type { Waiting } from '../admission.ts';

/** What the ends of channels ask of their session. */
export interface ChannelTable {
  /** The most credit that a producer takes and a consumer gives, in bytes. */
  readonly maxWindow: number;
  /**
   * Sends a signal and returns what it costs.
   * @throws {CloneError | RpcError} where its content cannot be sent; then nothing was
   */
  write(ref: number, kind: number, content?: unknown): number;
  readonly waiting: Waiting;
  /** Resolves when the other side has read enough of what it was sent; undefined where that is so already. */
  readonly drained: Promise<void> | undefined;
  /** Takes a channel out: it says and hears nothing more. */
  left(channel: Channel): void;
  /** Notes that something is going on, until what it returns is called. */
  busy(): () => void;
}

/** This side's end of a channel. */
export abstract class Channel {
  readonly ref: number;
  /** Whether its first chunk is its last. */
  protected readonly isSingle: boolean;
  /** Whether the producer waits for the other side to have handled all chunks. */
  protected readonly isAcknowledged: boolean;
  /** Whether the other side still speaks or listens. */
  isOpen = true;
  protected readonly table: ChannelTable;
  readonly #done: () => void;
  #isFirst = true;

  /** `name`: the extension that stands for what it carries. */
  constructor(ref: number, table: ChannelTable, name: string) {
    this.ref = ref;
    this.table = table;
    this.isSingle = name === PROMISE || name === ABORT_SIGNAL;
    this.isAcknowledged = name === WRITABLE;
    this.#done = table.busy();
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
    return this.table.write(this.ref, kind, content);
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

  /** Notes that nothing is left to do here. */
  protected release(): void {
    this.#done();
  }
}
