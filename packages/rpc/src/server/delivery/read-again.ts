import type { CallFrame } from '../../protocol/call-reader.ts';
import { malformedFrame } from '../../protocol/errors.ts';
import type { FrameEntries, FrameHost } from '../../protocol/frame-reader.ts';
import { readResent } from '../../protocol/resent.ts';
import { TOPIC, VALUE } from '../../protocol/tags.ts';
import type { ResultStore } from '../../session/incoming/delivery.ts';
import type { SessionSettings } from '../../session/settings.ts';
import { type Again, runAgain } from './run-again.ts';

/** Reads a frame that was sent before, and says what of it has to run, and whether that may have run. */
export function readAgain(
  sent: FrameEntries,
  settings: SessionSettings,
  results: ResultStore | undefined,
): { readonly frame: CallFrame; readonly again: Again; readonly mayHaveRun: boolean } {
  const resent = readResent(sent);
  // What it passed by reference was lost, and calls about that are not made again.
  // Frames that are no calls would be handled where they are read.
  if (settings.tables.frames.has(resent.frame.entries[0])) noCalls();
  const frame = settings.read(resent.frame, NOTHING_BY_REFERENCE);
  if (frame?.kind !== 'calls') return noCalls();
  const again = runAgain(frame, resent, results);
  // Of subscriptions that are to go on everything is known that may have happened.
  const mayHaveRun = again.ageMs !== undefined && resent.places.some((place) => !resent.subscriptions.has(place));
  return { frame, again, mayHaveRun };
}

/** Reads a frame of calls for itself: what it passes by reference is nothing. */
export const NOTHING_BY_REFERENCE: FrameHost = {
  expects: 'calls',
  revive: (name, [value]) => (name === VALUE ? value : name === TOPIC ? noCalls() : null),
  settle: () => {},
  stored: () => {},
  refused: () => {},
};

export function noCalls(): never {
  throw malformedFrame('what was sent again is no frame of calls');
}
