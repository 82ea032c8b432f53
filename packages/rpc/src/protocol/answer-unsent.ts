import type { RpcError } from '../errors/rpc-error.ts';
import { idOfCalls } from './first-number.ts';
import type { Message } from './message.ts';
import { ResultFrame } from './result-writer.ts';

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
