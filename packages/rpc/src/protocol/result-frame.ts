import type { Encoder } from '@lumenize/structured-clone';
import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { REVERSED } from './frame-kind.ts';
import { malformedFrame } from './malformed.ts';

/** First part of an entry of two: what the second is. */
const THROWN = 0;
const RPC_ERROR = 1;
const FRAME_REFUSED = 2;
/** A value that the server keeps until the client says that it has arrived. */
const STORED = 3;

/** What became of one call. */
export type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/** Receives the entries of a result frame in order. */
export interface ResultHandler {
  settle(id: number, outcome: Outcome): void;
  /** The result of this call is kept, until it is said that it has arrived. */
  stored(id: number): void;
  /** The whole call frame that began with `firstId` did not run, because of its operation `index`. */
  refused(firstId: number, index: number, error: RpcError): void;
}

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

/** Reads an entry that is about the call with this id: of one part it is a value, of two a failure. */
export function readResult(id: number, entry: unknown, handler: ResultHandler): void {
  if (!Array.isArray(entry)) throw malformedFrame('a result is not a list');
  if (entry.length === 1) handler.settle(id, { ok: true, value: entry[0] });
  else readFailure(id, entry, handler);
}

function readFailure(id: number, [kind, content]: unknown[], handler: ResultHandler): void {
  if (kind === STORED) {
    handler.stored(id);
    return handler.settle(id, { ok: true, value: content });
  }
  if (kind === THROWN) return handler.settle(id, { ok: false, error: content });
  if (!Array.isArray(content)) throw malformedFrame('a failure without its code');
  // A newer server may have codes that this client has not heard of; they are no less true.
  const [code, message, ...rest] = content as [string, string, ...unknown[]];
  const index = kind === RPC_ERROR ? 0 : (rest.shift() as number);
  const error = new RpcError(`${code}` as RpcErrorCode, message, { data: rest[0] });
  if (kind === RPC_ERROR) handler.settle(id, { ok: false, error });
  else handler.refused(id, index, error);
}
