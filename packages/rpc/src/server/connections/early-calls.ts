import { messageOf } from '../../protocol/message.ts';
import type { CallFrame } from '../../protocol/operation.ts';
import { EARLY_SUBPROTOCOL, fromBase64Url, MAX_EARLY_BYTES, SUBPROTOCOL } from '../../protocol/version.ts';
import { memberOf } from '../../session/incoming/declarations.ts';
import { isTarget } from '../../session/references/by-reference.ts';
import { NOTHING_BY_REFERENCE, throwNoCalls } from '../delivery/run-again.ts';
import type { ServerSession } from '../session.ts';

/** The address of the target itself. */
const TARGET = 0;

/**
 * Runs a frame of calls that came with an upgrade, as base64url, if its calls only read from the target. Such calls do
 * no harm if the upgrade fails. Returns the subprotocol that says whether they ran; other frames are sent again once
 * the client is connected.
 */
export function takeEarlyCalls(offered: string | undefined, session: ServerSession): string {
  const bytes = offered === undefined ? undefined : fromBase64Url(offered);
  if (bytes === undefined || bytes.length > MAX_EARLY_BYTES) return SUBPROTOCOL;
  let frame: ReturnType<typeof session.settings.read>;
  try {
    // Values by reference are refused here: the session reads them when the client sends the frame again.
    frame = session.settings.read(messageOf(bytes), { ...NOTHING_BY_REFERENCE, revive: throwNoCalls });
  } catch {
    // The bytes hold no frame of calls. Over the open connection, such a frame would end the connection.
    return SUBPROTOCOL;
  }
  if (frame?.kind !== 'calls' || frame.refusal !== undefined || !onlyReads(frame, session.target)) return SUBPROTOCOL;
  session.receiveEarly(frame);
  return EARLY_SUBPROTOCOL;
}

function onlyReads({ operations, signals }: CallFrame, target: unknown): boolean {
  if (signals.length > 0 || !isTarget(target)) return false;
  return operations.every(({ receiver, path, args }) => {
    const member = receiver === TARGET && path.length === 1 ? memberOf(target, path[0]) : undefined;
    return args === undefined ? member?.getter !== undefined : member?.isReadOnly === true;
  });
}
