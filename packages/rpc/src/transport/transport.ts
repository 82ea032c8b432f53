import type { Message } from '../protocol/message.ts';

/** Carries whole frames between two sides, in order, each at most once. */
export interface Transport {
  /** Sends a frame, or drops it where the connection is already lost. The transport owns the bytes from then on. */
  send(frame: Message): void;
  /** Ends the connection; `lost` is still called, once. */
  close(code: number, reason: string): void;
  /** Asks the other side for a sign of life, which `alive` tells of. Connections of a transport without it are not made again by themselves. */
  probe?(): void;
  /** Asks the client for a name, which `Peer.read` is told: then it has read what was sent before. On a server, where what was sent can pile up. */
  ask?(name: string): void;
  /** True if nothing outlives the answer to a frame, as with requests of HTTP: then nothing can be passed by reference. */
  readonly stateless?: boolean;
}

/** Receives events of a transport, in this order: `opened` at most once, any number of frames and signs of life, `lost` just once. */
export interface TransportEvents {
  /** `isAhead`: the calls that were offered have been taken, and need not be sent. */
  opened(isAhead?: boolean): void;
  /** A frame has arrived. */
  received(frame: Message): void;
  /** The answer to these frames, which is in what has been received, is complete: told by transports that are stateless. */
  answered(frames: readonly Message[]): void;
  /** The other side has answered a `probe`. */
  alive(): void;
  /** The connection has ended, or could not be made: with the code of a WebSocket's close, and why. */
  lost(code: number, reason: string): void;
}

/** Begins to connect. It must not call back before it has returned. `offer`: the subprotocols of a WebSocket; other transports may ignore it. */
export interface OpenTransport {
  /** Makes the connection, and tells `events` of it. */
  (events: TransportEvents, offer: readonly string[]): Transport;
  /** True if its connections are stateless, which has to be known before there is one. */
  readonly stateless?: boolean;
}

/** The side that serves a connection, as the transport sees it. */
export interface Peer {
  /** Takes a frame that has arrived. */
  receive(frame: Message): void;
  /** Tells that the client has answered when it was asked for a name. */
  read?(name: string): void;
  /** Tells that the connection ended: nothing that is sent from now on arrives. */
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
