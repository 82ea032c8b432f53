/** The names of the emulated links. */
export type LinkName = 'lan' | 'cable' | 'lte' | 'far';

/** The properties of a link between a client and a server. */
export interface Link {
  /** The round-trip time of a small packet, half of it in each direction. */
  readonly rttMs: number;
  /** The maximum by which a round trip is shorter or longer. */
  readonly jitterMs: number;
  readonly downMbits: number;
  readonly upMbits: number;
  /** The share of packets that are lost in each direction. Their bytes arrive when they have been resent. */
  readonly lossShare: number;
}

export const LINKS: Readonly<Record<LinkName, Link>> = {
  lan: { rttMs: 1, jitterMs: 0, downMbits: 1000, upMbits: 1000, lossShare: 0 },
  cable: { rttMs: 20, jitterMs: 0, downMbits: 100, upMbits: 20, lossShare: 0 },
  lte: { rttMs: 60, jitterMs: 10, downMbits: 20, upMbits: 5, lossShare: 0.005 },
  far: { rttMs: 200, jitterMs: 0, downMbits: 50, upMbits: 50, lossShare: 0 },
};

/** Returns a short description of a link. */
export function describeLink({ rttMs, jitterMs, downMbits, upMbits, lossShare }: Link): string {
  const rtt = jitterMs > 0 ? `${rttMs} ± ${jitterMs} ms` : `${rttMs} ms`;
  const rate = downMbits === upMbits ? `${upMbits}` : `${downMbits}/${upMbits}`;
  return `${rtt}, ${rate} Mbit/s${lossShare > 0 ? `, ${100 * lossShare} % loss` : ''}`;
}
