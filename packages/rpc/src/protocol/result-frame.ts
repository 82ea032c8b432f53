import { Decoder, type Encoder } from '@lumenize/structured-clone';
import { isRpcErrorCode, RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { readFirstId } from './call-frame.ts';
import { malformedFrame } from './operation.ts';

/** First part of an entry of two: what the second is. */
const THROWN = 0;
const RPC_ERROR = 1;
const FRAME_REFUSED = 2;

/** What became of one call. */
export type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/** Receives the entries of a result frame in order. */
export interface ResultHandler {
  settle(id: number, outcome: Outcome): void;
  /** The whole call frame that began with `firstId` did not run, because of its operation `index`. */
  refused(firstId: number, index: number, error: RpcError): void;
}

/**
 * Writes results into one frame. Ids that follow each other cost nothing; a step between others is a number of its own.
 */
export class ResultFrame {
  readonly #encoder: Encoder;
  #next = -1;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  get empty(): boolean {
    return this.#next < 0;
  }

  /** Writes a result; where it cannot be encoded it throws, and nothing but a step is left. */
  value(id: number, value: unknown): void {
    this.#step(id);
    this.#encoder.write([value]);
    this.#next++;
  }

  /** Writes what a method threw; throws where that cannot be encoded. */
  thrown(id: number, error: unknown): void {
    this.#step(id);
    this.#encoder.write([THROWN, error]);
    this.#next++;
  }

  rpcError(id: number, error: RpcError): void {
    this.#step(id);
    this.#encoder.write([RPC_ERROR, [error.code, error.message]]);
    this.#next++;
  }

  /** Says that a call frame did not run. */
  refused(firstId: number, index: number, error: RpcError): void {
    this.#step(firstId);
    this.#encoder.write([FRAME_REFUSED, [error.code, error.message, index]]);
    this.#next++;
  }

  /** Returns the frame's bytes and starts the next one. */
  finish(): Uint8Array<ArrayBuffer> {
    this.#next = -1;
    return this.#encoder.finish();
  }

  #step(id: number): void {
    if (this.#next < 0) this.#encoder.write(id);
    else if (id !== this.#next) this.#encoder.write(id - this.#next);
    this.#next = id;
  }
}

/**
 * Reads a result frame entry by entry.
 * @throws {RpcError | CloneError} where it is malformed; what came before has been handled
 */
export function readResultFrame(bytes: Uint8Array, handler: ResultHandler): void {
  const decoder = new Decoder(bytes);
  let id = readFirstId(decoder);
  while (!decoder.done) {
    const entry = decoder.read();
    if (typeof entry === 'number') {
      id += entry;
      continue;
    }
    if (!Array.isArray(entry)) throw malformedFrame('a result is not a list');
    if (entry.length === 1) handler.settle(id, { ok: true, value: entry[0] });
    else readFailure(id, entry, handler);
    id++;
  }
  decoder.finish();
}

function readFailure(id: number, [kind, content]: unknown[], handler: ResultHandler): void {
  if (kind === THROWN) return handler.settle(id, { ok: false, error: content });
  if ((kind !== RPC_ERROR && kind !== FRAME_REFUSED) || !Array.isArray(content)) {
    throw malformedFrame('a result of an unknown kind');
  }
  const [code, message, index] = content as unknown[];
  if (typeof message !== 'string') throw malformedFrame('an error without a message');
  // A newer server may have codes that this client has not heard of.
  const known: RpcErrorCode = isRpcErrorCode(code) ? code : 'INTERNAL';
  const error = new RpcError(known, message);
  if (kind === RPC_ERROR) handler.settle(id, { ok: false, error });
  else handler.refused(id, typeof index === 'number' ? index : 0, error);
}
