import { type Message, messageOf } from '../protocol/message.ts';
import { EARLY_PREFIX, fromBase64Url } from '../protocol/version.ts';
import type { OpenTransport } from '../transport/transport.ts';
import type { Direction } from './frame-description.ts';

/** A frame that was sent or received, as a recorder of a client tells of it. */
export interface RecordedFrame {
  /** Direction: sent by the client, or by the server. */
  readonly direction: Direction;
  /** Its text, or a copy of its bytes: to be kept, and read with `describeFrame`. */
  readonly message: Message;
  /** Time at which it was sent or received: milliseconds by `performance.now()`. */
  readonly timeMs: number;
  /** Number of the connection that it went over, in the order in which this recorder has seen them begin, from 1. */
  readonly connection: number;
  /** True if it travelled with the request for the connection, and the server took it so. */
  readonly isEarly: boolean;
}

/**
 * Makes a wrapper of transports that tells of every frame, for `wrapTransport` of all functions that connect. Frames that were sent are told of
 * before they leave, those received before they are handled. What `onFrame` throws is reported like an error of a listener.
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
