import { createEncoder } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import { PART } from '../protocol/frame-kind.ts';
import type { FramePart } from '../protocol/frame-reader.ts';
import { malformedFrame } from '../protocol/malformed.ts';

/** What a part says beside its bytes takes at most this many. */
const PART_HEAD = 32;

/** Cuts a message that is larger than a frame may be into frames that each hold a part. */
export function* splitMessage(message: Uint8Array, maxFrameBytes: number): Generator<Uint8Array<ArrayBuffer>> {
  const size = maxFrameBytes - PART_HEAD;
  const count = Math.ceil(message.length / size);
  for (let place = 0; place < count; place++) {
    const encoder = createEncoder();
    encoder.write(PART);
    encoder.write(count - place - 1);
    encoder.write(message.subarray(place * size, (place + 1) * size));
    yield encoder.finish();
  }
}

/** Puts the parts of a message together. They arrive one after the other, with no other frame between. */
export class MessageParts {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #expected = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether parts of a message are still to come. */
  get isOpen(): boolean {
    return this.#parts.length > 0;
  }

  /**
   * Takes the next part; returns the message with the last one.
   * @throws {RpcError} `TOO_LARGE`, or `MALFORMED_FRAME` for a part that is not the next one
   */
  add({ remaining, bytes }: FramePart): Uint8Array | undefined {
    if (this.isOpen && remaining !== this.#expected) throw malformedFrame('a part of another message');
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    this.#expected = remaining - 1;
    if (this.#bytes > this.#maxBytes) {
      throw new RpcError('TOO_LARGE', `maxMessageBytes of ${this.#maxBytes} exceeded`);
    }
    if (remaining > 0) return undefined;
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
  }
}
