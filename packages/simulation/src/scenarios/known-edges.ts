import type { Edge } from './spec.ts';

/** What an option belongs to. */
export type OptionSide = 'server' | 'topic' | 'client';

/** An option of a side, with a value at its extreme. */
export interface SideEdge extends Edge {
  readonly side: OptionSide;
}

/** Values with which an option is known to be neither refused by its name nor to work. */
interface KnownEdges {
  readonly side: OptionSide;
  readonly at: string;
  readonly values: readonly string[];
  readonly why: string;
  /** What the scenario says of it. */
  readonly says: RegExp;
}

/** What is known to fail. The scenarios of options leave it out. */
export const KNOWN_EDGES: readonly KnownEdges[] = [
  {
    side: 'server',
    at: 'limits.maxBytesInFlight',
    values: ['0', '0.5'],
    why: 'it has no room for an answer: connections are lost again and again',
    says: /the client does not read what it is sent/,
  },
  {
    side: 'client',
    at: 'connectTimeoutMs',
    values: ['0', '0.5'],
    why: 'no attempt to connect has the time, and the error says that the URL may be wrong',
    says: /cannot be reached/,
  },
  {
    side: 'client',
    at: 'heartbeat.intervalMs',
    values: ['0'],
    why: 'the server is asked for a sign of life without a pause',
    says: /time stands still/,
  },
  {
    side: 'client',
    at: 'heartbeat.timeoutMs',
    values: ['0'],
    why: 'the server is asked for a sign of life without a pause',
    says: /time stands still/,
  },
  {
    side: 'client',
    at: 'heartbeat.timeoutMs',
    values: ['0.5'],
    why: 'no answer has the time, and each connection is given up',
    says: /no sign of life/,
  },
];

/** Returns what is known of an option with a value; undefined if it has to work or be refused. */
export function knownEdge({ side, at, value }: SideEdge): KnownEdges | undefined {
  return KNOWN_EDGES.find((known) => known.side === side && known.at === at && known.values.includes(value));
}
