import type { Random } from '@lumenize/hosts/random';

/** Faults that the proxy causes. */
export const FAULTS = [
  /** Resets a connection at once. */
  'refuse',
  /** Resets both sides during the connection. */
  'cut',
  /** Forwards a part of a chunk, then resets. */
  'truncate',
  /** Ends one direction only. */
  'half-close',
  /** Forwards nothing more, in one direction or both, while the sockets stay open. */
  'stall',
  /** Like `stall`, but continues after a while. */
  'pause',
  /** Sends everything that the client has sent once more, over another connection, and drops the answers. */
  'replay',
  /** Delays every chunk, so that a later connection can overtake this one. */
  'delay',
  /** Forwards chunks in pieces. */
  'split',
] as const;

export type Fault = (typeof FAULTS)[number];

/** A fault at one moment of a connection. */
export interface Incident {
  readonly fault: Exclude<Fault, 'refuse' | 'delay' | 'split'>;
  /** The direction whose chunks are counted. The fault affects it, or both directions. */
  readonly direction: Direction;
  readonly both: boolean;
  /** The number of chunks between the previous incident and this one. */
  readonly chunk: number;
}

export type Direction = 'up' | 'down';

/** The faults of a connection. */
export interface Plan {
  readonly refused: boolean;
  /** The longest delay of a chunk, in milliseconds. Usually 0. */
  readonly maxDelayMs: number;
  /** The probability that a chunk is split. */
  readonly splits: number;
  /** Incidents, in order. */
  readonly incidents: readonly Incident[];
}

/** The plan of a connection without faults. */
export const CALM: Plan = { refused: false, maxDelayMs: 0, splits: 0, incidents: [] };

const MOST_CHUNKS = 400;
const MOST_INCIDENTS = 20;
/** Faults that a connection survives. */
const OUTLIVED: ReadonlySet<Fault> = new Set(['pause', 'replay']);

/** Draws a plan from some faults, by default from all. Most incidents come early, many of them during the upgrade. */
export function drawPlan(random: Random, faults: readonly Fault[] = FAULTS): Plan {
  const drawn = {
    refused: random() < 0.05,
    maxDelayMs: random() < 0.3 ? random() * 30 : 0,
    splits: random() < 0.3 ? random() : 0,
  };
  const kinds = faults.filter((fault) => fault !== 'refuse' && fault !== 'delay' && fault !== 'split');
  const incidents: Incident[] = [];
  while (kinds.length > 0 && incidents.length < MOST_INCIDENTS) {
    const fault = kinds[Math.floor(random() * kinds.length)];
    const direction = random() < 0.5 ? 'up' : 'down';
    incidents.push({ fault, direction, both: random() < 0.5, chunk: Math.floor(MOST_CHUNKS ** random()) - 1 });
    if (!OUTLIVED.has(fault)) break;
  }
  return {
    refused: drawn.refused && faults.includes('refuse'),
    maxDelayMs: faults.includes('delay') ? drawn.maxDelayMs : 0,
    splits: faults.includes('split') ? drawn.splits : 0,
    incidents,
  };
}
