import { type CloneError, createEncoder, type Extension } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import { type Distance, type OperationEntry, RESULT_REFERENCE, UNANSWERED } from '../protocol/operation.ts';
import { unsendableCode } from '../protocol/unsendable.ts';
import { Call, type OutgoingFrame } from './call.ts';
import { type Node, nodeOf } from './node.ts';

/** A frame that has grown to this is sent, and the turn's next call begins another. */
const FULL_BYTES = 262_144;
const FULL_OPERATIONS = 4096;

/** Writes the calls of a turn into one frame, each at the moment it is made: what happens to the arguments later changes nothing. */
export interface FrameWriter {
  /** Whether the frame must be finished before another call is written. */
  isFull(): boolean;
  /**
   * Appends one operation.
   * @throws {RpcError} where an argument cannot be sent; the frame is as it was
   */
  write(node: Node, args: unknown[] | undefined): Call;
  /** Ends the frame and returns it; undefined where no call was written. Calls that will not be answered go to `unanswered`. */
  finish(unanswered: (call: Call) => void): OutgoingFrame | undefined;
}

/** Makes a writer for the session that `owner` is; stubs of others cannot be passed. */
export function createFrameWriter(owner: object, maxFrameBytes: number): FrameWriter {
  const encoder = createEncoder({ extend, limits: { maxBytes: maxFrameBytes } });
  let nextId = 1;
  let frame: OutgoingFrame | undefined;
  let calls: Call[] = [];
  /** Calls whose results the operation being written uses. */
  let uses: Call[] = [];

  function begin(): OutgoingFrame {
    encoder.write(nextId);
    return { firstId: nextId, bytes: undefined, sent: false };
  }

  function distance({ base, name }: Node): Distance {
    if (base === undefined) return 0;
    if (base.frame !== frame) {
      throw new RpcError('REFERENCE_LOST', `await ${name} first: it is of an earlier turn`);
    }
    uses.push(base);
    return nextId - base.id;
  }

  /** Says how a stub travels inside arguments: as a reference to a result of the same frame. */
  function extend(value: object): Extension | undefined {
    const node = nodeOf(value);
    if (node === undefined) return undefined;
    if (node.owner !== owner) {
      throw new RpcError('NOT_CLONEABLE', `await ${node.name} first: it is of another connection`);
    }
    return { kind: RESULT_REFERENCE, payload: [distance(node), ...node.path] };
  }

  return {
    isFull: () => encoder.size > FULL_BYTES || calls.length >= FULL_OPERATIONS,
    write(node, args) {
      frame ??= begin();
      if (uses.length > 0) uses = [];
      const { path, name } = node;
      const entry: OperationEntry = [distance(node), path.length === 1 ? path[0] : path];
      if (args !== undefined) entry.push(args);
      try {
        encoder.write(entry);
      } catch (error) {
        throw explain(error, name);
      }
      for (const used of uses) used.use();
      const call = new Call(nextId++, frame, name);
      calls.push(call);
      return call;
    },
    finish(unanswered) {
      const finished = frame;
      const written = calls;
      if (finished === undefined) return undefined;
      const steps = written.filter((call) => call.unanswered);
      steps.forEach(unanswered);
      if (steps.length > 0) encoder.write([UNANSWERED, ...steps.map((call) => call.id - finished.firstId)]);
      finished.bytes = encoder.finish();
      frame = undefined;
      calls = [];
      return written.length > 0 ? finished : undefined;
    },
  };
}

function explain(error: unknown, name: string): RpcError {
  if (error instanceof RpcError) return error;
  const refusal = error as CloneError;
  return new RpcError(
    unsendableCode(refusal),
    // The codec knows the whole operation as its value; its user knows the arguments.
    `${name}(): ${refusal.message.replace(/^at value\[2\]\[(\d+)\]/, 'at argument $1')}`,
    { cause: error },
  );
}
