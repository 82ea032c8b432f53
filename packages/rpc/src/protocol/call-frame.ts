import { CloneError, type DecodeOptions, Decoder, type Encoder } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import {
  malformedFrame,
  type Operation,
  type OperationEntry,
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

/** Starts a frame whose first operation has this id. */
export function beginCallFrame(encoder: Encoder, firstId: number): void {
  encoder.write(firstId);
}

/** Appends an operation; where an argument cannot be encoded it throws, and the frame is as it was. */
export function writeOperation(encoder: Encoder, entry: OperationEntry): void {
  encoder.write(entry);
}

/** Ends a frame with the numbers of the operations whose results nobody waits for. */
export function writeUnanswered(encoder: Encoder, numbers: readonly number[]): void {
  if (numbers.length > 0) encoder.write([UNANSWERED, ...numbers]);
}

/**
 * Reads and checks a whole frame before anything of it runs.
 * @throws {RefusedFrame} where the first id could be read but not all the rest
 * @throws {RpcError} where not even that
 */
export function readCallFrame(bytes: Uint8Array, options: DecodeOptions, maxOperations: number): CallFrame {
  const operations: Operation[] = [];
  let hasReferences = false;
  const revive = (kind: number, payload: unknown) => {
    if (kind !== RESULT_REFERENCE) throw malformedFrame(`extension ${kind} is unknown`);
    hasReferences = true;
    return readReference(payload, operations.length);
  };
  let firstId = -1;
  try {
    const decoder = new Decoder(bytes, { ...options, revive });
    firstId = readFirstId(decoder);
    while (!decoder.done) {
      const entry = decoder.read();
      if (Array.isArray(entry) && entry[0] === UNANSWERED) {
        for (const number of readUnanswered(entry, operations.length)) operations[number].answered = false;
        break;
      }
      if (operations.length === maxOperations) {
        throw new RpcError('LIMIT_EXCEEDED', `maxOperationsPerFrame of ${maxOperations} exceeded`);
      }
      operations.push(readOperation(entry, operations.length));
    }
    decoder.finish();
  } catch (error) {
    if (firstId < 0) throw toRpcError(error);
    throw new RefusedFrame(firstId, operations.length, toRpcError(error));
  }
  return { firstId, operations, hasReferences };
}

/** Reads the id that a frame of either direction begins with. */
export function readFirstId(decoder: Decoder): number {
  const id = decoder.read();
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) throw malformedFrame('no id at its start');
  return id;
}

/** Turns an error of the codec into the library's. */
export function toRpcError(error: unknown): RpcError {
  if (!(error instanceof CloneError)) return RpcError.from(error, 'INTERNAL');
  const code = error.code === 'MALFORMED' ? 'MALFORMED_FRAME' : error.code;
  return new RpcError(code, error.message, { cause: error });
}
