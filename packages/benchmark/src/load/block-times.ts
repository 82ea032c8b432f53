/** The time of a block and of each of its samples. */
export interface BlockTimes {
  readonly totalMs: number;
  readonly samplesMs: readonly number[];
}
