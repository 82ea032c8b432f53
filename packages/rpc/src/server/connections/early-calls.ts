import { messageOf } from '../../protocol/message.ts';
import type { CallFrame } from '../../protocol/operation.ts';
import { EARLY_SUBPROTOCOL, fromBase64Url, MAX_EARLY_BYTES, SUBPROTOCOL } from '../../protocol/version.ts';
import { memberOf } from '../../session/incoming/declarations.ts';
import { isTarget } from '../../session/references/by-reference.ts';
import { NOTHING_BY_REFERENCE, noCalls } from '../delivery/run-again.ts';
import type { ServerSession } from '../session.ts';

/** Address of the target itself. */
const TARGET = 0;

/**
 * Runs the frame of calls that came with an upgrade, as base64url, where all that it does is to read from the target:
 * then it does no harm that nobody knows of an upgrade that failed how far it came. Returns the subprotocol that says whether
 * it ran; any other frame the client sends once it is connected.
 */
export function takeEarlyCalls(offered: string | undefined, session: ServerSession): string {
  const bytes = offered === undefined ? undefined : fromBase64Url(offered);
  if (bytes === undefined || bytes.length > MAX_EARLY_BYTES) return SUBPROTOCOL;
  let frame: ReturnType<typeof session.settings.read>;
  try {
    // Without values by reference: the session reads these when they are sent again.
    frame = session.settings.read(messageOf(bytes), { ...NOTHING_BY_REFERENCE, revive: noCalls });
  } catch {
    // It is no frame of calls; as one that is sent it would cost the client its connection.
    return SUBPROTOCOL;
  }
  if (frame?.kind !== 'calls' || !onlyReads(frame, session.target)) return SUBPROTOCOL;
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
