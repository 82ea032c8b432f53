import { CloneError, createDecoder, type DecodeOptions } from '@lumenize/structured-clone';
import { asRpcError, RpcError } from '../errors/rpc-error.ts';
import {
  malformedFrame,
  type Operation,
  RESULT_REFERENCE,
  readOperation,
  readReference,
  readUnanswered,
  UNANSWERED,
} from './operation.ts';

/** A call frame that was read: the operations have the ids `firstId`, `firstId + 1` and so on. */
export interface CallFrame {
  firstId: number;
  operations: Operation[];
  /** Whether arguments hold `ResultReference`s. */
  hasReferences: boolean;
}

/** A frame that cannot be run although it says which calls it holds. */
export class RefusedFrame extends Error {
  readonly firstId: number;
  /** The place in the frame of the operation that is to blame. */
  readonly index: number;
  override readonly cause: RpcError;

  constructor(firstId: number, index: number, cause: RpcError) {
    super(cause.message, { cause });
    this.firstId = firstId;
    this.index = index;
    this.cause = cause;
  }
}

/** Reads and checks a whole frame before anything of it runs; throws a `RefusedFrame` or, without an id, an `RpcError`. */
export type CallFrameReader = (bytes: Uint8Array) => CallFrame;

/** Makes a reader with the options of a decoder and the largest number of operations in a frame. */
export function createCallFrameReader(options: DecodeOptions, maxOperations: number): CallFrameReader {
  // Of the frame being read only this is kept here: its arguments belong to whoever runs it.
  let index = 0;
  let hasReferences = false;
  const revive = (kind: number, payload: unknown) => {
    if (kind !== RESULT_REFERENCE) throw malformedFrame(`extension ${kind} is unknown`);
    hasReferences = true;
    return readReference(payload, index);
  };
  const decode = createDecoder({ ...options, revive });

  return (bytes) => {
    const operations: Operation[] = [];
    let firstId = -1;
    index = 0;
    hasReferences = false;
    let isEnded = false;
    try {
      decode(bytes, (entry) => {
        if (isEnded) throw malformedFrame('something after its end');
        if (firstId < 0) firstId = readFirstId(entry);
        else if (Array.isArray(entry) && entry[0] === UNANSWERED) {
          isEnded = true;
          for (const number of readUnanswered(entry, index)) operations[number].answered = false;
        } else if (index === maxOperations) {
          throw new RpcError('LIMIT_EXCEEDED', `maxOperationsPerFrame of ${maxOperations} exceeded`);
        } else {
          operations.push(readOperation(entry, index));
          index++;
        }
      });
      if (firstId < 0) throw malformedFrame('no id');
    } catch (error) {
      if (firstId < 0) throw toRpcError(error);
      throw new RefusedFrame(firstId, index, toRpcError(error));
    }
    return { firstId, operations, hasReferences };
  };
}

/** Checks the id that a frame of either direction begins with. */
export function readFirstId(id: unknown): number {
  if (!Number.isSafeInteger(id) || (id as number) < 0) throw malformedFrame('no id');
  return id as number;
}

/** Turns an error of the codec into the library's. */
function toRpcError(error: unknown): RpcError {
  if (!(error instanceof CloneError)) return asRpcError(error, 'INTERNAL');
  return asRpcError(error, error.code === 'MALFORMED' ? 'MALFORMED_FRAME' : error.code);
}
