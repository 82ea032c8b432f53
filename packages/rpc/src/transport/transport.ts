import type { Message } from '../protocol/message.ts';

/** Carries whole frames between two sides, in order, each at most once. */
export interface Transport {
  /** Sends a frame, or drops it if the connection has closed. Takes ownership of the bytes. */
  send(frame: Message): void;
  /** Ends the connection. `closed` is still called, once. */
  close(code: number, reason: string): void;
  /**
   * Asks the peer for a sign of life, which `alive` reports. Without this method, a lost connection is not made again
   * automatically.
   */
  probe?(): void;
  /**
   * Asks the client to return a name, which `Peer.receiveText` receives. The client has then read everything that was sent
   * before. For servers, where unread frames can pile up.
   */
  ask?(name: string): void;
  /** True if nothing outlives the answer to a frame, as with HTTP requests. Nothing can then be passed by reference. */
  readonly stateless?: boolean;
}

/**
 * Receives the events of a transport, in this order: `opened` at most once, any number of frames and signs of life,
 * `closed` exactly once.
 */
export interface TransportEvents {
  /**
   * Called when the connection is open. `isAhead` is true if the server has accepted the calls that were offered, which
   * then need not be sent.
   */
  opened(isAhead?: boolean): void;
  /** Called when a frame has arrived. */
  received(frame: Message): void;
  /** Called when the answer to these frames has been received in full. Only stateless transports call it. */
  answered(frames: readonly Message[]): void;
  /** Called when the peer has answered a `probe`. */
  alive(): void;
  /** Called when the connection has closed or could not be made, with the code and reason of a WebSocket's close. */
  closed(code: number, reason: string): void;
}

/**
 * Begins to connect. It must not call back before it returns. `offer` has the subprotocols of a WebSocket; other
 * transports may ignore it.
 */
export interface OpenTransport {
  /** Makes the connection, and reports to `events`. */
  (events: TransportEvents, offer: readonly string[]): Transport;
  /** True if its connections are stateless. */
  readonly stateless?: boolean;
}

/** The side that serves a connection, as the transport sees it. */
export interface Peer {
  /** Handles a frame that has arrived. */
  receive(frame: Message): void;
  /** Handles a text that is no frame: a question for a sign of life, or a name that the client was asked for. */
  receiveText?(text: string): void;
  /** Called when the connection has closed. Frames that are sent later do not arrive. */
  closed(): void;
}

/** An object with events, either as on the web or as in Node. */
export type Listenable =
  // biome-ignore-start lint/suspicious/noExplicitAny: the listener's arguments differ between platforms
  | {
      addEventListener(type: string, listener: (event: any) => void): void;
      removeEventListener(type: string, listener: (event: any) => void): void;
    }
  | {
      on(event: string, listener: (...parts: any[]) => void): unknown;
      off(event: string, listener: (...parts: any[]) => void): unknown;
    };
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Returns true if an object has events in one of the two forms. */
export function isListenable(source: object): source is Listenable {
  return 'addEventListener' in source || 'on' in source;
}

/**
 * Adds a listener, and returns a function that removes it. If an object has both forms of events, the web's form is
 * used: there, messages are events whose `data` tells text from bytes.
 */
export function listen(source: Listenable, type: string, listener: (...parts: unknown[]) => void): () => void {
  if ('addEventListener' in source) {
    source.addEventListener(type, listener);
    return () => source.removeEventListener(type, listener);
  }
  source.on(type, listener);
  return () => source.off(type, listener);
}
