import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { malformedFrame } from './errors.ts';
import { FrameWriter } from './frame-writer.ts';
import type { Message } from './message.ts';
import { idOfCalls, REVERSED } from './tags.ts';

/** First part of an entry of two: says what the second is. */
export const THROWN = 0;
export const RPC_ERROR = 1;
export const FRAME_REFUSED = 2;
/** A value that the server keeps until the client says that it has arrived. */
export const STORED = 3;
/** The same of a step, whose value is not sent. */
export const STORED_STEP = 4;

/** What became of one call. */
export type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/** Receives the entries of a result frame in order. */
export interface ResultHandler {
  settle(id: number, outcome: Outcome): void;
  /** The result of this call, or step, is kept, until it is said that it has arrived. */
  stored(id: number): void;
  /** The whole call frame that began with `firstId` did not run, because of its operation `index`. */
  refused(firstId: number, index: number, error: RpcError): void;
}

/** Reads an entry that is about the call with this id: of one part it is a value, of none undefined; of two the first says what it is. */
export function readResult(id: number, entry: unknown, handler: ResultHandler): void {
  if (!Array.isArray(entry)) throw malformedFrame('a result is not a list');
  if (entry.length < 2) handler.settle(id, { ok: true, value: entry[0] });
  else readFailure(id, entry, handler);
}

function readFailure(id: number, [kind, content]: unknown[], handler: ResultHandler): void {
  if (kind === STORED) {
    handler.stored(id);
    return handler.settle(id, { ok: true, value: content });
  }
  if (kind === STORED_STEP) return handler.stored(id);
  if (kind === THROWN) return handler.settle(id, { ok: false, error: content });
  const [code, message, ...rest] = Array.isArray(content) ? content : [];
  // No texts are made of anything else: a short value can come to an endless one.
  if (typeof code !== 'string' || typeof message !== 'string') throw malformedFrame('a failure without its code');
  const index = kind === RPC_ERROR ? 0 : (rest.shift() as number);
  // A newer server may have codes that this client has not heard of; they are no less true.
  const error = new RpcError(code as RpcErrorCode, message, { data: rest[0] });
  if (kind === RPC_ERROR) handler.settle(id, { ok: false, error });
  else handler.refused(id, index, error);
}

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

  /** Writes what became of a call, whose result is kept until the other side says that it has arrived where it `isStored`; throws where it cannot be encoded. */
  add(id: number, outcome: Outcome, isStored = false): void {
    this.#write(id, outcome.ok ? valueEntry(outcome.value, isStored) : errorEntry(outcome.error));
  }

  /** Says that the result of a step is kept so. */
  storedStep(id: number): void {
    this.#write(id, [STORED_STEP, null]);
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

function valueEntry(value: unknown, isStored: boolean): unknown[] {
  return isStored ? [STORED, value] : value === undefined ? [] : [value];
}

function errorEntry(error: unknown): unknown[] {
  return error instanceof RpcError ? [RPC_ERROR, errorContent(error)] : [THROWN, error];
}

function errorContent({ code, message, data }: RpcError): [code: string, message: string, data?: unknown] {
  return data === undefined ? [code, message] : [code, message, data];
}

/**
 * Makes the result frame with which a server would refuse a call frame, for a transport that took the frame and knows
 * that it never left: its calls can say that they did not run, and need not say that they may have. Undefined where the
 * frame holds no calls. `index` is the place of the call that is to blame.
 */
export function answerUnsent(frame: Message, index: number, error: RpcError): Message | undefined {
  const firstId = idOfCalls(frame, 'calls');
  return firstId === undefined ? undefined : refusalFrame(firstId, index, error);
}

/** Makes the result frame that refuses the call frame that began with this id. */
export function refusalFrame(firstId: number, index: number, error: RpcError): Message {
  const answer = new ResultFrame();
  answer.refused(firstId, index, error);
  return answer.finish();
}
