import { bytesOf, countedBytes } from '../../protocol/message.ts';
import { earlyOffer, MAX_EARLY_BYTES } from '../../protocol/version.ts';
import type { EarlyFrame, Extension } from '../../session/extension.ts';
import type { OutgoingFrame } from '../../session/outgoing/call.ts';
import { moment } from '../../session/timer.ts';

/** The session whose first frame is sent with the connection request. */
interface Early {
  readonly options: { readonly early: boolean; readonly open: { readonly stateless?: boolean } };
  /** Frames that wait to be sent. */
  readonly waiting: OutgoingFrame[];
}

/** Sends the first calls with the connection request. The server runs them at once if all of them only read. */
export const earlyCalls: Extension = { name: 'earlyCalls', early: firstFrame };

/** Returns the first frame to send, if it is small, depends on no connection, and all of its calls are still wanted. */
function firstFrame(session: Early): EarlyFrame | undefined {
  const { options } = session;
  const [frame] = options.early && !options.open.stateless ? session.waiting : [];
  if (!frame?.answered || frame.givenUp.length > 0 || frame.isBound) return undefined;
  if (countedBytes(frame.message!, MAX_EARLY_BYTES) > MAX_EARLY_BYTES) return undefined;
  frame.sentAt = moment();
  return {
    offered: earlyOffer(bytesOf(frame.message!)),
    taken() {
      const place = session.waiting.indexOf(frame);
      if (place < 0) return;
      // The server has the frame and will answer it.
      session.waiting.splice(place, 1);
      frame.sent = true;
    },
  };
}
