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
import { malformedFrame } from '../../protocol/errors.ts';
import { Channel } from './channel.ts';

/** The end of a channel that chunks come from: it sends as long as it has credit. */
export class Producer extends Channel {
  /** Told once when no more chunks are wanted: the consumer stopped, or the connection is gone. */
  onStop: (reason: unknown) => void = () => {};
  /** Told when the channel has ended, however that came. */
  onLeave: (() => void) | undefined;
  #credit = Math.min(FIRST_WINDOW, this.table.maxWindow);
  #room: PromiseWithResolvers<void> | undefined;
  /** Where the end of the stream is waited for, with what must not be collected meanwhile. */
  #closed: (PromiseWithResolvers<void> & { keep: unknown }) | undefined;

  /** Resolves when there is room for a chunk, or when none is wanted any more; undefined where that is so already. */
  get room(): Promise<void> | undefined {
    if (!this.isOpen) return undefined;
    if (this.#credit > 0) return this.table.drained;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Sends a chunk; one that is larger than the credit only delays the next one. Throws where it cannot be sent. */
  data(chunk: unknown): void {
    if (!this.isOpen) return;
    const cost = chunkCost(this.send(DATA, chunk));
    if (this.isSingle) return this.leave();
    this.#credit = Math.min(this.#credit + this.raiseFor(chunk), this.table.maxWindow) - cost;
    if (this.#credit <= 0) this.send(BLOCKED);
  }

  /** Says that there are no more chunks. Throws where the value cannot be sent. */
  end(value?: unknown): void {
    if (!this.isOpen) return;
    this.send(END, value);
    this.leave();
  }

  /** Says that there are no more chunks, and resolves when the other side has handled all of them. */
  close(keep?: unknown): Promise<void> {
    this.#closed = { ...Promise.withResolvers<void>(), keep };
    if (this.isOpen) this.send(END);
    return this.#closed.promise;
  }

  fail(error: unknown): void {
    if (!this.isOpen) return;
    this.sendFailure(FAIL, error);
    this.leave();
  }

  receive(kind: number, content: unknown): void {
    switch (kind) {
      case CREDIT:
        this.#credit = Math.min(this.#credit + readAmount(content), this.table.maxWindow);
        if (this.#credit > 0) this.#wake();
        return;
      case STOP:
        return this.lost(content === undefined ? undefined : readFailure(content));
      case END:
        this.#closed?.resolve();
        return this.#closed === undefined ? this.lost(undefined) : this.leave();
      default:
        throw malformedFrame(`what a consumer does not say: ${kind}`);
    }
  }

  lost(reason: unknown): void {
    this.leave();
    this.onStop(reason);
    this.#closed?.reject(reason);
  }

  abandon(reason: unknown): void {
    this.fail(reason);
    this.onStop(reason);
  }

  override leave(): void {
    super.leave();
    this.onLeave?.();
    this.#wake();
    this.release();
  }

  #wake(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
