import type { Random } from '@lumenize/hosts/random';

/** What the proxy does to connections. */
export const FAULTS = [
  /** Resets a connection at once. */
  'refuse',
  /** Resets both sides in the middle. */
  'cut',
  /** Forwards a part of what has arrived, then resets. */
  'truncate',
  /** Ends one direction, and leaves the other. */
  'half-close',
  /** Lets nothing through any more, in one direction or both, and tells nobody. */
  'stall',
  /** The same, but goes on after a while. */
  'pause',
  /** Sends all that the client has sent to the server a second time, over another connection, whose answers nobody hears. */
  'replay',
  /** Is slow for as long as the connection lasts: what was sent later over another one arrives earlier. */
  'delay',
  /** Hands chunks on in pieces. */
  'split',
] as const;

export type Fault = (typeof FAULTS)[number];

/** What becomes of a connection at one moment. */
export interface Incident {
  readonly fault: Exclude<Fault, 'refuse' | 'delay' | 'split'>;
  /** The direction whose chunks count; and the one that is affected, where not both are. */
  readonly direction: Direction;
  readonly both: boolean;
  /** It happens when so many chunks have gone that way since the incident before. */
  readonly chunk: number;
}

export type Direction = 'up' | 'down';

/** What a connection has ahead of it. */
export interface Plan {
  readonly refused: boolean;
  /** Up to so many milliseconds are added to each chunk; mostly none. */
  readonly maxDelayMs: number;
  /** How probable it is that a chunk is handed on in pieces. */
  readonly splits: number;
  /** One after the other. */
  readonly incidents: readonly Incident[];
}

/** What a connection has ahead of it that nothing happens to. */
export const CALM: Plan = { refused: false, maxDelayMs: 0, splits: 0, incidents: [] };

const MOST_CHUNKS = 400;
const MOST_INCIDENTS = 20;
/** Incidents that a connection outlives. */
const OUTLIVED: ReadonlySet<Fault> = new Set(['pause', 'replay']);

/** Draws a plan of some faults, all by default. Most incidents come early, many during the upgrade, so that these are tried as well. */
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
