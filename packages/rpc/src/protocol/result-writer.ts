import type { RpcError } from '../errors/rpc-error.ts';
import { REVERSED } from './frame-kind.ts';
import { FrameWriter } from './frame-writer.ts';
import type { Message } from './message.ts';
import { FRAME_REFUSED, RPC_ERROR, STORED, STORED_STEP, THROWN } from './result-frame.ts';

/**
 * Writes results into one frame. Ids that follow each other cost nothing; a step between others is a number of its own.
 * Where a method throws because something cannot be encoded, the frame is as it was.
 */
export class ResultFrame {
  readonly #writer: FrameWriter;
  readonly #reversed: boolean;
  #first = -1;
  #next = -1;

  /** `reversed` where results are not what frames of this direction mostly hold. */
  constructor(writer = new FrameWriter(), reversed = false) {
    this.#writer = writer;
    this.#reversed = reversed;
  }

  /** What has been written: UTF-16 units of text, and bytes behind it. */
  get size(): number {
    return this.#writer.size;
  }

  /** True if nothing has been written. */
  get isEmpty(): boolean {
    return this.#writer.isEmpty;
  }

  /** True if the frame is to be sent before anything else runs. */
  get isFull(): boolean {
    return this.#writer.isFull;
  }

  /** Writes a result; throws where it cannot be encoded. */
  value(id: number, value: unknown): void {
    this.#write(id, value === undefined ? [] : [value]);
  }

  /** Writes a result that is kept until the other side says that it has arrived. */
  stored(id: number, value: unknown): void {
    this.#write(id, [STORED, value]);
  }

  /** Says that the result of a step is kept so. */
  storedStep(id: number): void {
    this.#write(id, [STORED_STEP, null]);
  }

  /** Writes what a method threw; throws where that cannot be encoded. */
  thrown(id: number, error: unknown): void {
    this.#write(id, [THROWN, error]);
  }

  /** Writes an error of the library; throws where its data cannot be encoded. */
  rpcError(id: number, error: RpcError): void {
    this.#write(id, [RPC_ERROR, errorContent(error)]);
  }

  /** Says that a call frame did not run. */
  refused(firstId: number, index: number, error: RpcError): void {
    const [code, message, ...data] = errorContent(error);
    this.#write(firstId, [FRAME_REFUSED, [code, message, index, ...data]]);
  }

  /** Returns the frame and starts the next one. */
  finish(): Message {
    return this.#reversed ? this.#writer.finish(REVERSED, this.#first) : this.#writer.finish(this.#first);
  }

  /** Drops what has been written. */
  clear(): void {
    this.#writer.clear();
  }

  #write(id: number, entry: unknown[]): void {
    const isFirst = this.#writer.isEmpty;
    this.#writer.write(entry, isFirst ? 0 : id - this.#next);
    if (isFirst) this.#first = id;
    this.#next = id + 1;
  }
}

function errorContent({ code, message, data }: RpcError): [code: string, message: string, data?: unknown] {
  return data === undefined ? [code, message] : [code, message, data];
}
