import type { Extension, Isolation } from '../../session/extension.ts';
import type { OutgoingFrame } from '../../session/outgoing/call.ts';
import type { Session } from '../../session/session.ts';
import { Timer } from '../../session/timer.ts';

/** Number of lost connections after which a frame is suspected of causing the losses. */
const SUSPECT_LOSSES = 2;
/**
 * Number of groups into which the calls of a suspected frame are split. With 4096 calls, the most that a frame has,
 * each call is alone before it is lost for the last time.
 */
const GROUPS = 16;
/**
 * Longest wait between two suspected frames, in milliseconds. In this time, the results of other calls can arrive
 * before the next frame may end the connection.
 */
const SPACING_MS = 250;

/** The session whose frames were lost. */
interface Sender extends Session {
  /** Frames that wait to be sent or sent again. */
  waiting: OutgoingFrame[];
  /** True if calls are sent at once. */
  readonly isReady: boolean;
  /** Sends frames that have waited. */
  resend(frames: readonly OutgoingFrame[]): void;
}

/**
 * Isolates the frames that may be the reason why their connections were lost: sends each of them alone, after all other
 * frames. Otherwise the others would be lost with them again and again.
 */
export const isolation: Extension = { name: 'isolation', isolate: isolationOf };

function isolationOf(sender: Sender): Isolation {
  const { table } = sender.outgoing;
  /** Timer for the next suspected frame. */
  const timer = new Timer();

  /** Starts the wait for the next suspected frame. */
  const wait = () => {
    if (sender.waiting.length === 0) return;
    timer.set(SPACING_MS, sendNext);
    settled();
  };

  const sendNext = () => {
    // If the session is not ready, all frames are released when it is ready again.
    if (!sender.isReady) return;
    sender.resend([sender.waiting.shift()!]);
    wait();
  };

  /** Ends the wait early for a frame with few losses, once no other frame is in flight. */
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
      // If some frames were suspected before, the others are not to blame.
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
    release(frames) {
      sender.waiting = frames.filter(isSuspected).sort((a, b) => a.losses - b.losses);
      sender.resend(frames.filter((frame) => !isSuspected(frame)));
      wait();
    },
    stop: () => timer.stop(),
  };
}

function isSuspected({ losses }: OutgoingFrame): boolean {
  return losses >= SUSPECT_LOSSES;
}
