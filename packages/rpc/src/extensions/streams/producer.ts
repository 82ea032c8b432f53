import {
  BLOCKED,
  CREDIT,
  chunkCost,
  DATA,
  END,
  FAIL,
  FIRST_WINDOW,
  readFailure,
  STOP,
} from '../../protocol/channel.ts';
import { needsBodies } from '../../protocol/errors.ts';
import { unknownSignal } from '../../protocol/signal.ts';
import { readId } from '../../protocol/tags.ts';
import { capture } from '../../session/outgoing/waiting-calls.ts';
import { next } from '../../session/timer.ts';
import { Channel } from './channel.ts';

/** The sending end of a channel. It sends chunks as long as it has credit. */
export class Producer extends Channel {
  /** Called once when no more chunks are wanted, because the consumer has stopped or the connection is gone. */
  onStop: ((reason: unknown) => void) | undefined;
  /** Called when the channel has ended, for whatever reason. */
  onLeave: (() => void) | undefined;
  #credit = Math.min(FIRST_WINDOW, this.maxWindow);
  #room: PromiseWithResolvers<void> | undefined;
  /**
   * Settles when the peer has handled all chunks or the channel has failed. Holds `keep`, which must not be garbage
   * collected before.
   */
  #closed: (PromiseWithResolvers<void> & { keep: unknown }) | undefined;

  /**
   * Resolves when there is room for a chunk, or no chunk is wanted any more. Undefined if either is the case already.
   */
  get room(): Promise<void> | undefined {
    if (!this.isOpen) return undefined;
    if (this.#credit > 0) return this.table.peer.drained;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Lets a write that waits for credit go on. */
  wake(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  /**
   * Sends a chunk, or with `END` the value after the last chunk. A chunk that is larger than the credit only delays the
   * next one. Returns a promise if Blobs and the like in the value have to be read first; with `isRead`, they have been
   * read as far as they were found. Throws, or rejects, if the value cannot be sent.
   */
  data(value: unknown, kind: typeof DATA | typeof END = DATA, isRead = false): Promise<void> | undefined {
    const { peer } = this.table;
    if (!this.isOpen) {
      // It came too late, like a result that nobody waits for. A client without the extension sends no targets, and
      // leaves streams to garbage collection. Another channel may be about to send the value of the same promise.
      if (peer.settings.tables.answer !== undefined) next(() => peer.answers.letGo(value));
      return undefined;
    }
    let cost: number;
    try {
      cost = chunkCost(this.send(kind, value));
    } catch (error) {
      // A value may hold another Blob each time it is looked at, so it is read only once.
      if (isRead || !needsBodies(error)) throw error;
      return this.#readBodies(value, kind);
    }
    if (kind === END || this.kind.isSingle) this.leave();
    else {
      this.#credit = Math.min(this.#credit + this.raiseFor(value), this.maxWindow) - cost;
      if (this.#credit <= 0) this.send(BLOCKED);
    }
    return undefined;
  }

  /** Sends the only chunk, or the reason why it cannot be sent. */
  async last(chunk: unknown): Promise<void> {
    try {
      await this.data(chunk);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Ends the stream after the last chunk. Resolves when the peer has handled all chunks; holds `keep` until then. */
  close(keep: unknown): Promise<void> {
    this.#closed = { ...Promise.withResolvers<void>(), keep };
    if (this.isOpen) this.send(END);
    return this.#closed.promise;
  }

  fail(error: unknown): void {
    if (!this.isOpen) return;
    this.sendFailure(FAIL, error);
    this.leave();
  }

  /** Reports an error that a source on this side threw, and fails the channel with it. */
  broke(error: unknown, what: string): void {
    if (this.isOpen) this.report(error, what);
    this.fail(error);
  }

  report(error: unknown, what: string): void {
    this.table.peer.onError(error, what, undefined);
  }

  handle(kind: number, content: unknown): void {
    if (kind === CREDIT) {
      this.#credit = Math.min(this.#credit + readId(content), this.maxWindow);
      if (this.#credit > 0) this.wake();
    } else if (kind === END && this.#closed !== undefined) {
      this.#closed.resolve();
      this.leave();
    } else if (kind === END || kind === STOP) this.destroy(content === undefined ? content : readFailure(content));
    else throw unknownSignal([kind]);
  }

  destroy(reason: unknown): void {
    this.leave();
    this.onStop?.(reason);
    this.#closed?.reject(reason);
  }

  abandon(reason: unknown): void {
    this.fail(reason);
    this.destroy(reason);
  }

  override leave(): void {
    super.leave();
    this.onLeave?.();
    this.wake();
    this.release();
  }

  async #readBodies(value: unknown, kind: typeof DATA | typeof END): Promise<void> {
    const { bodies, peer } = this.table;
    const { readBodies, types } = peer.settings.tables;
    const [copy] = capture([value], types)();
    for (const [holder, bytes] of await readBodies!(copy)) bodies.set(holder, bytes);
    try {
      this.data(copy, kind, true);
    } finally {
      bodies.clear();
    }
  }
}
