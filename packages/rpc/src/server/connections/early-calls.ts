import { fromBase64Url } from '../../protocol/base64url.ts';
import type { CallFrame } from '../../protocol/call-frame.ts';
import type { FrameHost } from '../../protocol/frame-reader.ts';
import { messageOf } from '../../protocol/message.ts';
import { MAX_EARLY_BYTES } from '../../protocol/version.ts';
import { memberOf } from '../../session/incoming/declarations.ts';
import { isTarget } from '../../session/references/by-reference.ts';
import type { SessionSettings } from '../../session/settings.ts';
import { NOTHING_BY_REFERENCE, noCalls } from '../delivery/read-again.ts';

/** How the target itself is addressed. */
const TARGET = 0;

/** Refuses values by reference: the session reads these when they are sent again. */
const VALUES_ONLY: FrameHost = { ...NOTHING_BY_REFERENCE, revive: noCalls };

/**
 * Returns the frame of calls that came with an upgrade, as base64url, where all that it does is to read from the target:
 * then it does no harm that nobody knows of an upgrade that failed how far it came. Undefined for any other, which the client
 * sends once it is connected.
 */
export function earlyCalls(
  offered: string | undefined,
  target: unknown,
  settings: SessionSettings,
): CallFrame | undefined {
  if (offered === undefined) return undefined;
  const bytes = fromBase64Url(offered);
  if (bytes === undefined || bytes.length > MAX_EARLY_BYTES) return undefined;
  try {
    const frame = settings.read(messageOf(bytes), VALUES_ONLY);
    return frame?.kind === 'calls' && onlyReads(frame, target) ? frame : undefined;
  } catch {
    // It is no frame of calls; as one that is sent it would cost the client its connection.
    return undefined;
  }
}

function onlyReads({ operations, signals }: CallFrame, target: unknown): boolean {
  if (signals.length > 0 || !isTarget(target)) return false;
  return operations.every(({ receiver, path, args }) => {
    const member = receiver === TARGET && path.length === 1 ? memberOf(target, path[0]) : undefined;
    return args === undefined ? member?.getter !== undefined : member?.isReadOnly === true;
  });
}
