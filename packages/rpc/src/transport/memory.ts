import type { OpenTransport, Transport } from './transport.ts';

/** The far end of an in-memory connection. */
export interface MemoryPeer {
  receive(frame: Uint8Array): void;
}

/**
 * Connects to a peer in the same thread. Frames are the bytes that a socket would carry, and arrive in a later job, so
 * that nothing behaves otherwise than over a network.
 */
export function memoryTransport(attach: (channel: Transport) => MemoryPeer): OpenTransport {
  return (events) => {
    let open = true;
    const later = (job: () => void) => queueMicrotask(() => open && job());
    const close = (code: number, reason: string) =>
      later(() => {
        open = false;
        events.lost(code, reason);
      });
    const peer = attach({ send: (frame) => later(() => events.received(frame)), close });
    later(() => events.opened());
    return {
      send: (frame) => later(() => peer.receive(frame)),
      close,
    };
  };
}
