import type { RpcError } from '../errors/rpc-error.ts';
import type { OutgoingFrame } from '../session/outgoing/call.ts';
import type { CallTable } from '../session/outgoing/call-table.ts';
import type { Backlog } from './backlog.ts';

/** Takes back a frame of which nothing ran: it goes before those that wait. Once, and not for ever. */
export function takeBack({ frames }: Backlog, frame: OutgoingFrame): void {
  frame.sent = false;
  frame.wasRefused = true;
  const place = frames.findIndex(({ sent, wasRefused }) => !sent && !wasRefused);
  frames.splice(place < 0 ? frames.length : place, 0, frame);
}

/** Rejects the calls of frames that wait to be sent for the first time, or once more after a refusal. */
export function rejectWaiting(backlog: Backlog, table: CallTable, error: RpcError): void {
  const { frames } = backlog;
  backlog.clear();
  backlog.frames = frames.filter(({ sent }) => sent);
  for (const frame of frames) if (!frame.sent) table.reject(frame, error);
}
