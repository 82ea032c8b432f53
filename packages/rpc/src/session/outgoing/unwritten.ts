import { readBodies } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { needsBodies } from '../../protocol/unsendable.ts';
import { type Call, failedCall } from './call.ts';
import { NotSettled } from './call-writer.ts';
import { explainUnsendable, IN_ARGUMENTS } from './explain-unsendable.ts';
import type { Node } from './node.ts';
import { FailedResult } from './outcome.ts';
import type { Arguments, WaitingCalls } from './waiting-calls.ts';

const HIDDEN_BODY =
  'a result that holds a Blob, a Request or the like cannot be passed on: await it, and pass its value';

/** What is known of a call that could not be written. */
interface Unwritten {
  readonly node: Node;
  readonly args: unknown[] | undefined;
  /** What was read of Blobs and the like, for the encoder. */
  readonly bodies: Map<object, Uint8Array>;
  readonly waiting: WaitingCalls;
  /** Keeps arguments as they are now. */
  capture(args: unknown[] | undefined): Arguments;
}

/** Says what becomes of a call whose writing threw: it waits for what it lacks, or fails. */
export function unwritten(error: unknown, { node, args, bodies, waiting, capture }: Unwritten): Call {
  const { name } = node;
  if (error instanceof FailedResult) return failedCall(name, error.error);
  if (error instanceof NotSettled) {
    const { call } = error;
    const before = call.isKept ? new Promise<void>((resolve) => call.onSettled(resolve)) : call.promise();
    return waiting.after((goOn) => before.then(goOn, goOn), node, capture(args));
  }
  if (!needsBodies(error) || bodies.size > 0) return failedCall(name, explainUnsendable(error, name));
  const read = async () => {
    const found = await readBodies(args);
    // Else it would be tried again for ever.
    if (found.size === 0) throw new RpcError('NOT_CLONEABLE', `${name}(): ${HIDDEN_BODY}`);
    for (const [holder, bytes] of found) bodies.set(holder, bytes);
  };
  return waiting.blockedBy(
    read,
    node,
    () => args,
    (cause) => explainUnsendable(cause, name, IN_ARGUMENTS),
  );
}
