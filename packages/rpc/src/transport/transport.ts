import type { Message } from '../types/message.ts';

/** Carries whole messages between two sides, in order, each at most once. */
export interface Transport {
  /** Sends a message, or drops it if the connection has closed. Takes ownership of the bytes. */
  send(message: Message): void;
  /** Ends the connection. `closed` is still called, once. */
  close(code: number, reason: string): void;
  /**
   * Asks the other side for a sign of life, which `alive` reports. Without this method, a lost connection is not made
   * again automatically.
   */
  probe?(): void;
  /** Returns the number of bytes that were given to `send` and have not left yet. */
  waiting?(): number;
}

/**
 * Receives the events of a transport, in this order: `opened` at most once, any number of messages and signs of life,
 * `closed` exactly once.
 */
export interface TransportEvents {
  /** Called when the connection is open. */
  opened(): void;
  /** Called when a message has arrived. */
  received(message: Message): void;
  /** Called when the other side has answered a `probe`. */
  alive(): void;
  /** Called when the connection has closed or could not be made, with the code and reason of a WebSocket's close. */
  closed(code: number, reason: string): void;
}

/**
 * Begins to connect. It must not call back before it returns. `offer` has the subprotocols of a WebSocket; other
 * transports may ignore it.
 */
export type OpenTransport = (events: TransportEvents, offer: readonly string[]) => Transport;

/** The side that serves a connection, as the transport sees it. */
export interface Served {
  /** Handles a message that has arrived. */
  receive(message: Message): void;
  /** Called when the connection has closed. Messages that are sent later do not arrive. */
  closed(): void;
}
