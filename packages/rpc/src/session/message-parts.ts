import { RpcError } from '../errors/rpc-error.ts';
import { readPart } from '../protocol/frame-part.ts';
import { malformedFrame } from '../protocol/malformed.ts';

/** Puts the parts of a message together. They arrive one after the other, with no other frame between. */
export class MessageParts {
  readonly #maxBytes: number;
  readonly #host: { awaitParts?(): () => void };
  /** To be called when the message is whole, or will never be. */
  #done: (() => void) | undefined;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #expected = 0;

  /** `host.awaitParts`: told when a message has begun; what it returns is called when no more of it is to come. */
  constructor(maxBytes: number, host: { awaitParts?(): () => void }) {
    this.#maxBytes = maxBytes;
    this.#host = host;
  }

  /** Whether parts of a message are still to come. */
  get isOpen(): boolean {
    return this.#parts.length > 0;
  }

  /**
   * Takes what the next part says behind its kind; returns the message with the last one.
   * @throws {RpcError} `TOO_LARGE`, or `MALFORMED_FRAME` for a part that is not the next one
   */
  add(part: unknown[]): Uint8Array | undefined {
    const { remaining, bytes } = readPart(part);
    if (this.isOpen && remaining !== this.#expected) throw malformedFrame('a part of another message');
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    this.#expected = remaining - 1;
    if (this.#bytes > this.#maxBytes) {
      throw new RpcError('TOO_LARGE', `maxMessageBytes of ${this.#maxBytes} exceeded`);
    }
    if (remaining > 0) {
      this.#done ??= this.#host.awaitParts?.();
      return undefined;
    }
    const message = new Uint8Array(this.#bytes);
    let position = 0;
    for (const part of this.#parts) {
      message.set(part, position);
      position += part.length;
    }
    this.clear();
    return message;
  }

  clear(): void {
    this.#parts = [];
    this.#bytes = 0;
    this.#done?.();
    this.#done = undefined;
  }
}
