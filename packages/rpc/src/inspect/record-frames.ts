import { type Message, messageOf } from '../protocol/message.ts';
import { EARLY_PREFIX, fromBase64Url } from '../protocol/version.ts';
import type { OpenTransport } from '../transport/transport.ts';
import type { Direction } from './frame-description.ts';

/** A frame that a client sent or received. */
export interface RecordedFrame {
  /** Direction: sent by the client, or by the server. */
  readonly direction: Direction;
  /** Its text, or a copy of its bytes, for `describeFrame`. */
  readonly message: Message;
  /** Time at which it was sent or received, in milliseconds by `performance.now()`. */
  readonly timeMs: number;
  /** Number of its connection, from 1, in the order in which this recorder saw them begin. */
  readonly connection: number;
  /** True if it travelled with the request to connect, and the server accepted it. */
  readonly isEarly: boolean;
}

/**
 * Returns a wrapper for the option `wrapTransport` that calls `onFrame` with every frame: before a frame is sent, and before one that was
 * received is handled. What `onFrame` throws is reported like an error of a listener.
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
          // Neither the call nor the connection is to blame.
          queueMicrotask(() => {
            throw error;
          });
        }
      };
      const openedMs = performance.now();
      const early = earlyFrame(offer);
      const transport = open(
        {
          opened(isAhead) {
            // What the server has not taken is sent as ever, and told of then.
            if (isAhead && early) tell('up', early, openedMs, true);
            events.opened(isAhead);
          },
          received(frame) {
            tell('down', frame);
            events.received(frame);
          },
          answered: (frames) => events.answered(frames),
          alive: () => events.alive(),
          lost: (code, reason) => events.lost(code, reason),
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

/** Returns the frame of calls that goes with the request for a connection, where one does. */
function earlyFrame(offer: readonly string[]): Message | undefined {
  const found = offer.find((each) => each.startsWith(EARLY_PREFIX));
  const bytes = found && fromBase64Url(found.slice(EARLY_PREFIX.length));
  return bytes && messageOf(bytes);
}
