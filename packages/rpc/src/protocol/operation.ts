import { RpcError } from '../errors/rpc-error.ts';

/**
 * Where an operation or an argument comes from: 0 is the connection's target, n the result of the operation n places
 * earlier in the same frame.
 */
export type Distance = number;

/** One operation of a call frame: read a property path of the receiver, or call the method at its end. */
export interface Operation {
  receiver: Distance;
  path: readonly string[];
  /** Undefined for reading. */
  args: unknown[] | undefined;
  /** Whether the caller wants the result; else it is only for other operations of the frame. */
  answered: boolean;
}

/**
 * An operation as it is encoded in a call frame, which is a sequence of values: the id of the first operation, the
 * operations, and, where there are any, a list of those that are not answered. A path of one name is that name.
 */
export type OperationEntry = [receiver: Distance, path: string | readonly string[], args?: unknown[]];

/** The list of operations that are not answered begins with this; their places in the frame follow. */
export const UNANSWERED = -1;

/** The extension kind of the codec for a reference in an argument: its payload is a distance and a path. */
export const RESULT_REFERENCE = 0;

/** Stands in decoded arguments for a result, or for a property path of it, until the operation runs. */
export class ResultReference {
  readonly distance: Distance;
  readonly path: readonly string[];

  constructor(distance: Distance, path: readonly string[]) {
    this.distance = distance;
    this.path = path;
  }
}

/** Property paths are walked step by step, so that a length has to be bounded. */
const MAX_PATH = 64;

/** Checks an entry of a call frame; `index` is its place among the operations. */
export function readOperation(entry: unknown, index: number): Operation {
  if (!Array.isArray(entry)) throw malformedFrame('an operation is not a list');
  if (entry.length < 2 || entry.length > 3) throw malformedFrame('an operation has two or three parts');
  const path: unknown = entry[1];
  const args: unknown = entry[2];
  if (entry.length === 3 && !Array.isArray(args)) throw malformedFrame('arguments are not a list');
  return {
    receiver: readDistance(entry[0], index),
    path: typeof path === 'string' ? [path] : readPath(path),
    args: args as unknown[] | undefined,
    answered: true,
  };
}

/** Checks the payload of a reference in the arguments of the operation at `index`. */
export function readReference(payload: unknown, index: number): ResultReference {
  if (!Array.isArray(payload)) throw malformedFrame('a reference is not a list');
  return new ResultReference(readDistance(payload[0], index), readPath(payload.slice(1)));
}

/** Checks a list of unanswered operations among `count` and returns their numbers. */
export function readUnanswered(entry: readonly unknown[], count: number): number[] {
  return entry.slice(1).map((number) => {
    if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number >= count) {
      throw malformedFrame('an operation that is not in the frame');
    }
    return number;
  });
}

/** Makes the error for a frame that says what no peer would. */
export function malformedFrame(what: string): RpcError {
  return new RpcError('MALFORMED_FRAME', `malformed: ${what}`);
}

function readDistance(value: unknown, index: number): Distance {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > index) {
    throw malformedFrame('a reference to an operation that is not in the frame before');
  }
  return value;
}

function readPath(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_PATH || !value.every((name) => typeof name === 'string')) {
    throw malformedFrame(`a path is a list of up to ${MAX_PATH} names`);
  }
  return value;
}
