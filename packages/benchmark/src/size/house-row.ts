/** A row of the table: how large something is, may be and should be, and was when its budget was set. */
export interface HouseRow {
  readonly what: string;
  readonly must?: number;
  readonly aim?: number;
  /** The size on 2026-11-28, before the core was written anew and the repository was reduced. */
  readonly before?: number;
  /** The largest size that the test allows: about the present one. Lower it with the size, down to the budget. */
  readonly ceiling: number;
  readonly now: number;
}
