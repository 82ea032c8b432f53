import { bytesOf, countedBytes } from '../../protocol/message.ts';
import { earlyOffer, MAX_EARLY_BYTES } from '../../protocol/version.ts';
import type { EarlyFrame, Extension } from '../../session/extension.ts';
import type { OutgoingFrame } from '../../session/outgoing/call.ts';
import type { CallTable } from '../../session/outgoing/call-table.ts';
import { moment } from '../../session/timer.ts';

/** The session whose first frame goes with the request that connects. */
interface Early {
  readonly options: { readonly early: boolean; readonly open: { readonly stateless?: boolean } };
  readonly outgoing: { readonly table: CallTable };
  /** Frames that wait to be sent. */
  readonly waiting: OutgoingFrame[];
}

/** Sends the first calls with the request that connects, for the server to run ahead those that only read. */
export const earlyCalls: Extension = { name: 'earlyCalls', early: (session) => firstFrame(session as Early) };

/** Returns the frame that would be sent first: if it is small, and all of it is wanted. */
function firstFrame(session: Early): EarlyFrame | undefined {
  const { options, outgoing } = session;
  const [frame] = options.early && !options.open.stateless ? session.waiting : [];
  const isWhole = frame !== undefined && outgoing.table.frames().get(frame)?.length === frame.answered;
  if (!isWhole || frame.isBound || countedBytes(frame.message!, MAX_EARLY_BYTES) > MAX_EARLY_BYTES) return undefined;
  frame.sentAt = moment();
  return {
    offered: earlyOffer(bytesOf(frame.message!)),
    taken() {
      const place = session.waiting.indexOf(frame);
      if (place < 0) return;
      // It is on its way to being answered.
      session.waiting.splice(place, 1);
      frame.sent = true;
    },
  };
}
