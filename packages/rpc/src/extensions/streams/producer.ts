import {
  BLOCKED,
  CREDIT,
  chunkCost,
  DATA,
  END,
  FAIL,
  FIRST_WINDOW,
  readAmount,
  readFailure,
  STOP,
} from '../../protocol/channel.ts';
import { malformedFrame, needsBodies } from '../../protocol/errors.ts';
import { Channel } from './channel.ts';

/** The end of a channel that chunks come from: it sends as long as it has credit. */
export class Producer extends Channel {
  /** Told once when no more chunks are wanted: the consumer stopped, or the connection is gone. */
  onStop: ((reason: unknown) => void) | undefined;
  /** Told when the channel has ended, however that came. */
  onLeave: (() => void) | undefined;
  #credit = Math.min(FIRST_WINDOW, this.maxWindow);
  #room: PromiseWithResolvers<void> | undefined;
  /** Settles at the end of the stream, and keeps what must not be collected before that. */
  #closed: (PromiseWithResolvers<void> & { keep: unknown }) | undefined;

  /** Resolves when there is room for a chunk, or when none is wanted any more; undefined where that is so already. */
  get room(): Promise<void> | undefined {
    if (!this.isOpen) return undefined;
    if (this.#credit > 0) return this.table.peer.drained;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /**
   * Sends a chunk; one that is larger than the credit only delays the next one. Returns a promise where Blobs and the like in it
   * have to be read first. Throws, or rejects, where it cannot be sent.
   */
  data(chunk: unknown): Promise<void> | undefined {
    if (!this.isOpen) return undefined;
    let cost: number;
    try {
      cost = chunkCost(this.send(DATA, chunk));
    } catch (error) {
      if (!needsBodies(error)) throw error;
      return this.#readBodies(chunk);
    }
    if (this.kind.isSingle) this.leave();
    else {
      this.#credit = Math.min(this.#credit + this.raiseFor(chunk), this.maxWindow) - cost;
      if (this.#credit <= 0) this.send(BLOCKED);
    }
    return undefined;
  }

  /** Sends a chunk that is the only one, or why it cannot be sent. */
  async last(chunk: unknown): Promise<void> {
    try {
      await this.data(chunk);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Says that there are no more chunks. Throws where the value cannot be sent. */
  end(value: unknown): void {
    if (!this.isOpen) return;
    this.send(END, value);
    this.leave();
  }

  /** Says that there are no more chunks, and resolves when the other side has handled all of them. */
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

  /** Reports what a source of ours threw, and fails. */
  broke(error: unknown, what: string): void {
    if (this.isOpen) this.report(error, what);
    this.fail(error);
  }

  report(error: unknown, what: string): void {
    this.table.peer.onError(error, what, undefined);
  }

  receive(kind: number, content: unknown): void {
    if (kind === CREDIT) {
      this.#credit = Math.min(this.#credit + readAmount(content), this.maxWindow);
      if (this.#credit > 0) this.#wake();
    } else if (kind === END && this.#closed !== undefined) {
      this.#closed.resolve();
      this.leave();
    } else if (kind === END || kind === STOP) this.lost(content === undefined ? content : readFailure(content));
    else throw malformedFrame(`what a consumer does not say: ${kind}`);
  }

  lost(reason: unknown): void {
    this.leave();
    this.onStop?.(reason);
    this.#closed?.reject(reason);
  }

  abandon(reason: unknown): void {
    this.fail(reason);
    this.onStop?.(reason);
  }

  override leave(): void {
    super.leave();
    this.onLeave?.();
    this.#wake();
    this.release();
  }

  async #readBodies(chunk: unknown): Promise<void> {
    const { bodies, peer } = this.table;
    for (const [holder, bytes] of await peer.settings.tables.readBodies!(chunk)) bodies.set(holder, bytes);
    try {
      await this.data(chunk);
    } finally {
      bodies.clear();
    }
  }

  #wake(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
