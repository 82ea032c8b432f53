import { VALUE } from '../../protocol/extension.ts';
import type { FrameHost } from '../../protocol/frame-reader.ts';
import { malformedFrame } from '../../protocol/malformed.ts';

/** Reads a frame of calls for itself: what it passes by reference is nothing. */
export const NOTHING_BY_REFERENCE: FrameHost = {
  expects: 'calls',
  revive: (kind, payload) => (kind === VALUE ? payload : undefined),
  reviveTopic: noCalls,
  receiveEvents: noCalls,
  receiveChannel: noCalls,
  channelsUnreadable: () => {},
  settle: () => {},
  stored: () => {},
  refused: () => {},
};

export function noCalls(): never {
  throw malformedFrame('what was sent again is no frame of calls');
}
