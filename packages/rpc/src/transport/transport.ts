import type { Message } from '../protocol/message.ts';

/** Carries whole frames between two sides, in order, each at most once. */
export interface Transport {
  /** Sends a frame, or drops it if the connection is lost. The transport owns the bytes from then on. */
  send(frame: Message): void;
  /** Ends the connection; `lost` is still called, once. */
  close(code: number, reason: string): void;
  /** Asks the other side for a sign of life, which `alive` reports. Without it, a lost connection is not made again by itself. */
  probe?(): void;
  /** Asks the client to return a name, which `Peer.read` receives: then the client has read what was sent before. For servers, where unread frames can pile up. */
  ask?(name: string): void;
  /** True if nothing outlives the answer to a frame, as with HTTP requests: then nothing can be passed by reference. */
  readonly stateless?: boolean;
}

/** Receives the events of a transport, in this order: `opened` at most once, any number of frames and signs of life, `lost` exactly once. */
export interface TransportEvents {
  /** The connection is open. `isAhead`: the server has accepted the calls that were offered, which need not be sent. */
  opened(isAhead?: boolean): void;
  /** A frame has arrived. */
  received(frame: Message): void;
  /** The answer to these frames has been received in full. Only stateless transports call it. */
  answered(frames: readonly Message[]): void;
  /** The other side has answered a `probe`. */
  alive(): void;
  /** The connection has ended or could not be made, with the code and reason of a WebSocket's close. */
  lost(code: number, reason: string): void;
}

/** Begins to connect. It must not call back before it returns. `offer` has the subprotocols of a WebSocket; other transports may ignore it. */
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
  /** Called when the client has returned a name that it was asked for. */
  read?(name: string): void;
  /** Called when the connection has ended: nothing that is sent from now on arrives. */
  lost(): void;
}

/** An object with events, as the web's objects have them, or as Node's. */
export type Listenable =
  // biome-ignore-start lint/suspicious/noExplicitAny: what a listener is given differs between platforms
  | {
      addEventListener(type: string, listener: (event: any) => void): void;
      removeEventListener(type: string, listener: (event: any) => void): void;
    }
  | {
      on(event: string, listener: (...parts: any[]) => void): unknown;
      off(event: string, listener: (...parts: any[]) => void): unknown;
    };
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Returns true if an object has events in one of the two ways. */
export function isListenable(source: object): source is Listenable {
  return 'addEventListener' in source || 'on' in source;
}

/**
 * Listens, until the function that is returned is called. The web's way is preferred where there are both: there,
 * messages are events whose `data` tells text from bytes.
 */
export function listen(source: Listenable, type: string, listener: (...parts: unknown[]) => void): () => void {
  if ('addEventListener' in source) {
    source.addEventListener(type, listener);
    return () => source.removeEventListener(type, listener);
  }
  source.on(type, listener);
  return () => source.off(type, listener);
}
