import { type Message, messageOf } from '../protocol/message.ts';
import { EARLY_PREFIX, fromBase64Url } from '../protocol/version.ts';
import type { OpenTransport } from '../transport/transport.ts';
import type { Direction } from './frame-description.ts';

/** A frame that a client sent or received. */
export interface RecordedFrame {
  /** `up` if the client sent the frame, `down` if the server sent it. */
  readonly direction: Direction;
  /** The text of the frame, or a copy of its bytes, for `describeFrame`. */
  readonly message: Message;
  /** Time at which it was sent or received, in milliseconds by `performance.now()`. */
  readonly timeMs: number;
  /** Number of the connection, from 1, in the order in which this recorder saw the connections begin. */
  readonly connection: number;
  /** True if the frame was sent with the connection request, and the server accepted it. */
  readonly isEarly: boolean;
}

/**
 * Returns a wrapper for the option `wrapTransport` that calls `onFrame` with every frame, before the frame is sent or,
 * if it was received, before it is handled. An error that `onFrame` throws is logged.
 */
export function recordFrames(onFrame: (frame: RecordedFrame) => void): (open: OpenTransport) => OpenTransport {
  let connections = 0;
  return (open) => {
    const recorded: OpenTransport = (events, offer) => {
      const connection = ++connections;
      const tell = (direction: Direction, frame: Message, timeMs = performance.now(), isEarly = false) => {
        try {
          onFrame({ direction, message: frame.slice(), timeMs, connection, isEarly });
        } catch (error) {
          // Neither the call nor the connection is to blame, and Node would end at an error that nothing catches.
          console.error(error);
        }
      };
      const openedMs = performance.now();
      const early = earlyFrame(offer);
      const transport = open(
        {
          opened(isAhead) {
            // An early frame that the server has not taken is sent as usual, and reported then.
            if (isAhead && early) tell('up', early, openedMs, true);
            events.opened(isAhead);
          },
          received(frame) {
            tell('down', frame);
            events.received(frame);
          },
          answered: (frames) => events.answered(frames),
          alive: () => events.alive(),
          closed: (code, reason) => events.closed(code, reason),
        },
        offer,
      );
      return {
        send(frame) {
          tell('up', frame);
          transport.send(frame);
        },
        close: (code, reason) => transport.close(code, reason),
        ...(transport.probe && { probe: () => transport.probe!() }),
      };
    };
    return Object.assign(recorded, { stateless: open.stateless });
  };
}

/** Returns the frame of calls that is sent with the connection request; undefined if there is none. */
function earlyFrame(offer: readonly string[]): Message | undefined {
  const found = offer.find((each) => each.startsWith(EARLY_PREFIX));
  const bytes = found && fromBase64Url(found.slice(EARLY_PREFIX.length));
  return bytes && messageOf(bytes);
}
