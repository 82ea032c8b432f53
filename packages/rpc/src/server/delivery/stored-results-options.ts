/** How long results of exactly-once calls are kept that no client has acknowledged, and how many, and how much. */
export interface StoredResultsOptions {
  /** In milliseconds. @default 86400000: a day */
  retentionMs?: number;
  /** Beyond it the oldest are dropped; a call whose result may have been rejects with `OUTCOME_UNKNOWN` when it is made again. @default 100000 */
  maxResults?: number;
  /** In bytes, all of them together, encoded. Beyond it the oldest are dropped, too. @default 268435456 */
  maxBytes?: number;
  /** Largest result, encoded, in bytes. A row of SQLite takes 2 MB. @default 1048576 */
  maxResultBytes?: number;
}
