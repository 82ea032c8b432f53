import type { OpenTransport, Peer, Transport } from './transport.ts';

/**
 * Connects to a peer in the same thread. Frames are encoded as for a socket and arrive in a later microtask, so that
 * everything behaves as it does over a network.
 */
export function memoryTransport(attach: (channel: Transport) => Peer): OpenTransport {
  return (events) => {
    let open = true;
    const later = (job: () => void) => queueMicrotask(() => open && job());
    const close = (code: number, reason: string) =>
      later(() => {
        open = false;
        peer.closed();
        events.closed(code, reason);
      });
    const peer = attach({ send: (frame) => later(() => events.received(frame)), close });
    later(() => events.opened());
    return {
      send: (frame) => later(() => peer.receive(frame)),
      close,
    };
  };
}
