import { countedBytes } from '../../protocol/message.ts';
import { MAX_EARLY_BYTES } from '../../protocol/version.ts';
import type { Extension } from '../../session/extension.ts';
import type { OutgoingFrame } from '../../session/outgoing/call.ts';
import type { CallTable } from '../../session/outgoing/call-table.ts';
import { moment } from '../../session/timer.ts';

/** The session whose first frame goes with the request that connects. */
interface Early {
  readonly options: { readonly early: boolean; readonly open: { readonly stateless?: boolean } };
  readonly outgoing: { readonly table: CallTable };
  readonly backlog: { readonly frames: readonly OutgoingFrame[] };
}

/** Sends the first calls with the request that connects, for the server to run ahead those that only read. */
export const earlyCalls: Extension = { name: 'earlyCalls', early: (session) => firstFrame(session as Early) };

/** Returns the frame that would be sent first: if it is small, and all of it is wanted. */
function firstFrame({ backlog, options, outgoing }: Early): OutgoingFrame | undefined {
  const [frame] = options.early && !options.open.stateless ? backlog.frames : [];
  const isWhole = frame !== undefined && outgoing.table.frames().get(frame)?.length === frame.answered;
  if (!isWhole || frame.isBound || countedBytes(frame.message!, MAX_EARLY_BYTES) > MAX_EARLY_BYTES) return undefined;
  frame.sentAt = moment();
  return frame;
}
