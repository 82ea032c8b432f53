import type { Encoder } from '@lumenize/structured-clone';
import type { RpcError } from '../errors/rpc-error.ts';
import { REVERSED } from './frame-kind.ts';
import { FRAME_REFUSED, RPC_ERROR, STORED, THROWN } from './result-frame.ts';

/**
 * Writes results into one frame. Ids that follow each other cost nothing; a step between others is a number of its own.
 */
export class ResultFrame {
  readonly #encoder: Encoder;
  readonly #reversed: boolean;
  #next = -1;

  /** `reversed` where results are not what frames of this direction mostly hold. */
  constructor(encoder: Encoder, reversed: boolean) {
    this.#encoder = encoder;
    this.#reversed = reversed;
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#encoder.size;
  }

  /** Writes a result; where it cannot be encoded it throws, and nothing but a step is left. */
  value(id: number, value: unknown): void {
    this.#step(id);
    this.#encoder.write([value], 1);
    this.#next++;
  }

  /** Writes a result that is kept until the other side says that it has arrived. */
  stored(id: number, value: unknown): void {
    this.#step(id);
    this.#encoder.write([STORED, value]);
    this.#next++;
  }

  /** Says that the result of a step is kept so. */
  storedStep(id: number): void {
    this.#step(id);
    this.#encoder.write([]);
    this.#next++;
  }

  /** Writes what a method threw; throws where that cannot be encoded. */
  thrown(id: number, error: unknown): void {
    this.#step(id);
    this.#encoder.write([THROWN, error]);
    this.#next++;
  }

  /** Writes an error of the library; throws where its data cannot be encoded. */
  rpcError(id: number, error: RpcError): void {
    this.#step(id);
    this.#encoder.write([RPC_ERROR, errorContent(error)]);
    this.#next++;
  }

  /** Says that a call frame did not run. */
  refused(firstId: number, index: number, error: RpcError): void {
    this.#step(firstId);
    const [code, message, ...data] = errorContent(error);
    this.#encoder.write([FRAME_REFUSED, [code, message, index, ...data]]);
    this.#next++;
  }

  /** Returns the frame's bytes and starts the next one. */
  finish(): Uint8Array<ArrayBuffer> {
    this.#next = -1;
    return this.#encoder.finish();
  }

  #step(id: number): void {
    if (this.#next < 0) {
      if (this.#reversed) this.#encoder.write(REVERSED);
      this.#encoder.write(id);
    } else if (id !== this.#next) this.#encoder.write(id - this.#next);
    this.#next = id;
  }
}

function errorContent({ code, message, data }: RpcError): [code: string, message: string, data?: unknown] {
  return data === undefined ? [code, message] : [code, message, data];
}
