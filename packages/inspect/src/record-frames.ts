import type { Message, OpenTransport } from '@lumenize/rpc';

/** Direction of a frame: `up` from client to server, `down` from server to client. */
export type Direction = 'up' | 'down';

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
}

/**
 * Returns a wrapper for the option `wrapTransport` that calls `onFrame` with every frame, before the frame is sent or,
 * if it was received, before it is handled. An error that `onFrame` throws is logged.
 */
export function recordFrames(onFrame: (frame: RecordedFrame) => void): (open: OpenTransport) => OpenTransport {
  let connections = 0;
  return (open) => (events, offer) => {
    const connection = ++connections;
    const tell = (direction: Direction, message: Message) => {
      try {
        onFrame({ direction, message: message.slice(), timeMs: performance.now(), connection });
      } catch (error) {
        // Neither the call nor the connection is to blame, and Node would end at an error that nothing catches.
        console.error(error);
      }
    };
    const received = (message: Message) => {
      tell('down', message);
      events.received(message);
    };
    const transport = open({ ...events, received }, offer);
    return {
      send(message) {
        tell('up', message);
        transport.send(message);
      },
      close: (code, reason) => transport.close(code, reason),
      ...(transport.probe && { probe: () => transport.probe!() }),
      ...(transport.waiting && { waiting: () => transport.waiting!() }),
    };
  };
}
