import type { Extension, Isolation } from '../../session/extension.ts';
import type { OutgoingFrame } from '../../session/outgoing/call.ts';
import type { CallTable } from '../../session/outgoing/call-table.ts';
import { Timer } from '../../session/timer.ts';

/** A frame is suspected of being why its connections are lost when so many were. */
const SUSPECT_LOSSES = 2;
/** A suspected frame is sent in so many groups of its calls. Of 4096, the most there are, each is alone before it is lost for the last time. */
const GROUPS = 16;
/** Between two suspected frames at most, in milliseconds: enough for what others wait for to arrive before the next one ends the connection. */
const SPACING_MS = 250;

/** The session whose frames are lost. */
interface Sender {
  readonly outgoing: { readonly table: CallTable };
  /** Frames that wait to be sent, or to be sent again. */
  waiting: OutgoingFrame[];
  /** True if calls are sent at once. */
  readonly isReady: boolean;
  /** Sends frames that have waited. */
  resend(frames: readonly OutgoingFrame[]): void;
}

/**
 * Sends frames that may be why their connections were lost by themselves, behind all others, so that these are not lost again and
 * again with them.
 */
export const isolation: Extension = { name: 'isolation', isolate: (session: object) => isolationOf(session as Sender) };

function isolationOf(sender: Sender): Isolation {
  const { table } = sender.outgoing;
  /** Until the next suspected frame is sent. */
  const timer = new Timer();

  /** Has the next suspected frame wait. */
  const wait = () => {
    if (sender.waiting.length === 0) return;
    timer.set(SPACING_MS, sendNext);
    settled();
  };

  const sendNext = () => {
    // Else everything is released when calls are sent again.
    if (!sender.isReady) return;
    sender.resend([sender.waiting.shift()!]);
    wait();
  };

  /** Has a frame that was hardly ever lost wait no longer once nothing else is in flight. */
  const settled = () => {
    const [next] = sender.waiting;
    if (!timer.isSet || next === undefined || next.losses > SUSPECT_LOSSES) return;
    const waiting = new Set<unknown>(sender.waiting);
    const other = [...table.values()].find(({ frame }) => !waiting.has(frame));
    if (other === undefined) timer.set(0, sendNext);
    else other.onSettled(settled);
  };

  return {
    blamed(frames) {
      // Where some were suspected before, nobody else is to blame.
      const known = frames.filter(isSuspected);
      return known.length > 0 ? known : frames;
    },
    apart(waiting) {
      for (const [frame, calls] of table.frames()) {
        if (!isSuspected(frame) || waiting.has(frame)) continue;
        const size = Math.ceil(calls.length / GROUPS);
        for (let at = 0; at < calls.length; at += size) {
          const group = { ...frame };
          for (const call of calls.slice(at, at + size)) call.frame = group;
        }
      }
    },
    due(frames) {
      sender.waiting = frames.filter(isSuspected).sort((a, b) => a.losses - b.losses);
      return frames.filter((frame) => !isSuspected(frame));
    },
    wait,
    stop: () => timer.stop(),
  };
}

function isSuspected({ losses }: OutgoingFrame): boolean {
  return losses >= SUSPECT_LOSSES;
}
