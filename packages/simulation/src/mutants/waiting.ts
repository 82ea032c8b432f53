/** A defect that cannot be planted yet, because the present code is itself the defect. */
export interface WaitingMutant {
  /** The row of issue 33. */
  readonly row: number;
  /** What is to be planted when the row has been mended. */
  readonly plant: string;
  /** What shows until then that the simulator sees it. */
  readonly seenBy: 'known.ts' | 'known-edges.ts' | 'KNOWN_SCENARIOS';
}

/** The mutants of rows that are not mended yet. Each is planted with the mend, and its known situation taken off its list. */
export const WAITING: readonly WaitingMutant[] = [
  {
    row: 22,
    plant: 'a call that is sent again runs exactly once, although it was first made before its method did',
    seenBy: 'known.ts',
  },
  { row: 22, plant: 'a call that may have run is refused by a guard as if it had not', seenBy: 'known.ts' },
  { row: 23, plant: 'a limit of 0 bytes, or a time of 0, is taken', seenBy: 'known-edges.ts' },
  { row: 24, plant: 'a client without a token keeps its session', seenBy: 'known.ts' },
  { row: 25, plant: 'calls that wait are sent over a connection of another identity', seenBy: 'known.ts' },
  { row: 26, plant: 'a place is found again for another identity', seenBy: 'known.ts' },
  { row: 26, plant: 'a subscription goes on under another identity', seenBy: 'known.ts' },
  { row: 28, plant: 'an error of target() ends the connection for good', seenBy: 'known.ts' },
];
