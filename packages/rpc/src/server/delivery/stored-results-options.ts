// Apart from what stores the results, since pages read the types of options and have none of the platform's.

/** Limits for results of exactly-once calls that no client has acknowledged: their age, number and size. */
export interface StoredResultsOptions {
  /** The time for which results are kept, in milliseconds. @default 86400000: a day */
  retentionMs?: number;
  /**
   * Number of results. Beyond it the oldest are dropped. A call whose result may have been among them rejects with
   * `OUTCOME_UNKNOWN` when it is sent again.
   * @default 100000
   */
  maxResults?: number;
  /** Size of all encoded results together, in bytes. Beyond it the oldest are dropped, too. @default 268435456 */
  maxBytes?: number;
  /** Size of the largest encoded result, in bytes. A row of SQLite can hold 2 MB. @default 1048576 */
  maxResultBytes?: number;
}

export const DEFAULTS = {
  retentionMs: 86_400_000,
  maxResults: 100_000,
  maxBytes: 268_435_456,
  maxResultBytes: 1_048_576,
};
