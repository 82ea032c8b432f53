import { CloneError, Encoder, type Extension } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import { beginCallFrame, toRpcError, writeOperation, writeUnanswered } from '../protocol/call-frame.ts';
import { type Distance, RESULT_REFERENCE } from '../protocol/operation.ts';
import { Call, type OutgoingFrame } from './call.ts';
import { type Node, nodeOf } from './node.ts';

/** A frame that has grown to this is sent, and the turn's next call begins another. */
const SEAL_AT_BYTES = 262_144;
const SEAL_AT_OPERATIONS = 4096;

/** A finished frame with its bytes. */
export interface FinishedFrame {
  readonly frame: OutgoingFrame;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Writes the calls of a turn into one frame, each at the moment it is made: what happens to the arguments later changes nothing. */
export class FrameWriter {
  readonly #encoder: Encoder;
  readonly #owner: object;
  readonly #maxFrameBytes: number;
  #nextId = 1;
  #frame: OutgoingFrame | undefined;
  #calls: Call[] = [];
  /** Calls whose results the operation being written uses. */
  #uses: Call[] = [];

  /** The owner is the session: stubs of others cannot be passed. */
  constructor(owner: object, maxFrameBytes: number) {
    this.#owner = owner;
    this.#maxFrameBytes = maxFrameBytes;
    this.#encoder = new Encoder({
      extend: (value) => this.#extend(value),
      limits: { maxBytes: maxFrameBytes },
    });
  }

  /** Whether the frame must be finished before another call is written. */
  get full(): boolean {
    return this.#encoder.size > SEAL_AT_BYTES || this.#calls.length >= SEAL_AT_OPERATIONS;
  }

  /**
   * Appends one operation.
   * @throws {RpcError} where an argument cannot be sent; the frame is as it was
   */
  write(node: Node, args: unknown[] | undefined): Call {
    this.#frame ??= this.#begin();
    this.#uses = [];
    const { path } = node;
    const receiver = this.#distance(node);
    const encodedPath = path.length === 1 ? path[0] : path;
    try {
      writeOperation(this.#encoder, args === undefined ? [receiver, encodedPath] : [receiver, encodedPath, args]);
    } catch (error) {
      throw this.#explain(error, node);
    }
    const call = new Call(this.#nextId++, this.#frame, node.name);
    this.#calls.push(call);
    for (const used of this.#uses) used.use();
    return call;
  }

  /** Ends the frame and returns it; undefined where nothing was written. Calls that will not be answered go to `unanswered`. */
  finish(unanswered: (call: Call) => void): FinishedFrame | undefined {
    const frame = this.#frame;
    if (frame === undefined) return undefined;
    const steps = this.#calls.filter((call) => call.unanswered);
    writeUnanswered(
      this.#encoder,
      steps.map((call) => call.index),
    );
    steps.forEach(unanswered);
    frame.sealed = true;
    const isEmpty = this.#calls.length === 0;
    this.#calls = [];
    this.#frame = undefined;
    const bytes = this.#encoder.finish();
    return isEmpty ? undefined : { frame, bytes };
  }

  #begin(): OutgoingFrame {
    beginCallFrame(this.#encoder, this.#nextId);
    return { firstId: this.#nextId, sealed: false, sent: false };
  }

  #distance({ base, name }: Node): Distance {
    if (base === undefined) return 0;
    if (base.frame !== this.#frame) {
      throw new RpcError(
        'REFERENCE_LOST',
        `${name} refers to a call of an earlier turn; await that call, or make both in one turn`,
      );
    }
    this.#uses.push(base);
    return this.#nextId - base.id;
  }

  /** Says how a stub travels inside arguments: as a reference to a result of the same frame. */
  #extend(value: object): Extension | undefined {
    const node = nodeOf(value);
    if (node === undefined) return undefined;
    if (node.owner !== this.#owner) {
      throw new RpcError('NOT_CLONEABLE', `${node.name} belongs to another connection; await it and pass its value`);
    }
    return { kind: RESULT_REFERENCE, payload: [this.#distance(node), ...node.path] };
  }

  #explain(error: unknown, node: Node): RpcError {
    if (!(error instanceof CloneError)) return RpcError.from(error, 'NOT_CLONEABLE');
    if (error.code === 'LIMIT_EXCEEDED' && error.message.startsWith('maxBytes')) {
      return new RpcError(
        'TOO_LARGE',
        `the arguments of ${node.name}() exceed maxFrameBytes of ${this.#maxFrameBytes}`,
      );
    }
    // The codec knows the whole operation as its value; its user knows the arguments.
    const message = error.message.replace(/^at value\[2\]\[(\d+)\]/, 'at argument $1');
    const { code } = toRpcError(error);
    return new RpcError(code, `${node.name}(): ${message}`, { cause: error });
  }
}
