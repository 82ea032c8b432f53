import type { Operation } from './operation.ts';
import type { Signal } from './signal.ts';

/** A call frame that was read: the operations have the ids `firstId`, `firstId + 1` and so on. */
export interface CallFrame {
  readonly kind: 'calls';
  readonly firstId: number;
  readonly operations: Operation[];
  readonly signals: Signal[];
  /** Whether arguments hold `ResultReference`s. */
  readonly hasReferences: boolean;
  /** The length of the whole frame. */
  readonly size: number;
  /** Bytes of memory that it takes, about. */
  readonly cost: number;
  /** How many operations it counts as. */
  readonly charge: number;
  /** How many hold its memory: calls of it that are running, and the frame itself while it waits for its turn. */
  holders: number;
}
