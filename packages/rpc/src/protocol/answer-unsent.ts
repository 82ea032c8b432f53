import { createDecoder, createEncoder } from '@lumenize/structured-clone';
import type { RpcError } from '../errors/rpc-error.ts';
import { readId } from './extension.ts';
import { ResultFrame } from './result-frame.ts';

/** Thrown to stop reading: what comes after the id may be anything. */
const ENOUGH = new Error();

/**
 * Makes the result frame with which a server would refuse a call frame, for a transport that took the frame and knows
 * that it never left: its calls can say that they did not run, and need not say that they may have. Undefined where the
 * frame holds no calls. `index` is the place of the call that is to blame.
 */
export function answerUnsent(frame: Uint8Array, index: number, error: RpcError): Uint8Array<ArrayBuffer> | undefined {
  let firstId = 0;
  try {
    createDecoder({ revive: () => undefined })(frame, (entry) => {
      firstId = readId(entry);
      throw ENOUGH;
    });
  } catch (reason) {
    if (reason !== ENOUGH) return undefined;
  }
  const answer = new ResultFrame(createEncoder(), false);
  answer.refused(firstId, index, error);
  return answer.finish();
}
