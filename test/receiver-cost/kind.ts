import type { Message } from '@lumenize/structured-clone/messages';

/** Input whose cost to the receiver is measured, and what it may cost. */
export interface CostKind {
  readonly group: 'values' | 'references' | 'frames' | 'waiting' | 'unread';
  readonly name: string;
  /** Makes about so many bytes of it, or as many as the server's limits allow. */
  frames(bytes: number): Message[];
  /** At most so many times its bytes in memory, and `FREE_BYTES`. */
  readonly bound: number;
  /** Where little input asks for much, or much is refused: at most so many bytes of memory, whatever its bytes. */
  readonly most?: number;
}

/** What garbage collection leaves to chance: V8 lets some megabytes gather before it looks. */
export const FREE_BYTES = 24_000_000;

/** The most memory that so many bytes of a kind may cost. */
export function mostOf({ bound, most }: CostKind, sent: number): number {
  return most ?? bound * sent + FREE_BYTES;
}
