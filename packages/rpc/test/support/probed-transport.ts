import type { Message, OpenTransport, TransportEvents } from '@lumenize/rpc';

/** An attempt to connect, as a test sees it. */
export interface Attempt extends TransportEvents {
  readonly offer: readonly string[];
  readonly sent: Message[];
  probes: number;
  /** The codes it was closed with by the client. */
  readonly closes: number[];
}

/** A transport that tells whether it lives when the test says so. */
export function probedTransport(): { open: OpenTransport; attempts: Attempt[] } {
  const attempts: Attempt[] = [];
  const open: OpenTransport = (events, offer) => {
    const attempt: Attempt = { ...events, offer, sent: [], probes: 0, closes: [] };
    attempts.push(attempt);
    return {
      send: (frame) => void attempt.sent.push(frame),
      close: (code) => void attempt.closes.push(code),
      probe: () => void attempt.probes++,
    };
  };
  return { open, attempts };
}
