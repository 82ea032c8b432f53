import type { OpenTransport, Served, Transport } from './transport.ts';

/**
 * Connects to a peer in the same thread. Messages are encoded as for a socket and arrive in a later microtask, so that
 * everything behaves as it does over a network.
 */
export function memoryTransport(attach: (channel: Transport) => Served): OpenTransport {
  return (events) => {
    let open = true;
    const later = (job: () => void) => queueMicrotask(() => open && job());
    const close = (code: number, reason: string) =>
      later(() => {
        open = false;
        served.closed();
        events.closed(code, reason);
      });
    const served = attach({ send: (message) => later(() => events.received(message)), close });
    later(() => events.opened());
    return {
      send: (message) => later(() => served.receive(message)),
      close,
    };
  };
}
