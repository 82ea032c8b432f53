import { RpcError } from '../errors/rpc-error.ts';
import { malformedFrame } from '../protocol/errors.ts';
import { readPart } from '../protocol/frame-part.ts';
import type { FrameEntries } from '../protocol/frame-reader.ts';
import { type Message, messageOf } from '../protocol/message.ts';
import type { Waiting } from './admission.ts';

/** The session that parts arrive at. */
interface PartsHost {
  readonly waiting: Waiting;
  /** Notes that a message has begun; what it returns is called when no more of it is to come. */
  awaitParts?(): () => void;
}

/** Puts the parts of a message together. They arrive one after the other, with no other frame between. */
export class MessageParts {
  readonly #maxBytes: number;
  readonly #host: PartsHost;
  /** To be called when the message is whole, or will never be. */
  #done: (() => void) | undefined;
  /** Bytes that have arrived, in order, with room for more. */
  #message: Uint8Array<ArrayBuffer> | undefined;
  #bytes = 0;
  #expected = 0;

  constructor(maxBytes: number, host: PartsHost) {
    this.#maxBytes = maxBytes;
    this.#host = host;
  }

  /** True if parts of a message are still to come. */
  get isOpen(): boolean {
    return this.#message !== undefined;
  }

  /**
   * Takes the next part; returns the message with the last one.
   * @throws {RpcError} `TOO_LARGE`, or `MALFORMED_FRAME` for a part that is not the next one
   */
  add(part: FrameEntries): Message | undefined {
    const { remaining, bytes } = readPart(part);
    if (this.isOpen && remaining !== this.#expected) throw malformedFrame('a part of another message');
    this.#expected = remaining - 1;
    const length = this.#bytes + bytes.length;
    if (length > this.#maxBytes) throw new RpcError('TOO_LARGE', `maxMessageBytes of ${this.#maxBytes} exceeded`);
    this.#append(bytes, length, remaining);
    if (remaining > 0) {
      this.#done ??= this.#host.awaitParts?.();
      return undefined;
    }
    const message = messageOf(this.#message!.subarray(0, length));
    this.clear();
    return message;
  }

  /** Copies a part at once: its own memory, and what it takes to hold it, go however small it is. */
  #append(bytes: Uint8Array, length: number, remaining: number): void {
    const before = this.#message;
    if (before === undefined || before.length < length) {
      // Twice as much each time, so that all copies together are no more than the message; and no more than may come.
      const room = remaining === 0 ? length : Math.min(2 * length, this.#maxBytes);
      this.#message = new Uint8Array(room);
      if (before !== undefined) this.#message.set(before.subarray(0, this.#bytes));
    }
    this.#message!.set(bytes, this.#bytes);
    this.#host.waiting.bytes += bytes.length;
    this.#bytes = length;
  }

  clear(): void {
    this.#message = undefined;
    this.#host.waiting.bytes -= this.#bytes;
    this.#bytes = 0;
    this.#done?.();
    this.#done = undefined;
  }
}
