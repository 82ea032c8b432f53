import type { CodecName } from '../codecs/codec.ts';

/** What is timed: encoding and decoding what was encoded, or one of them alone. */
export type Operation = 'both' | 'encode' | 'decode';

/** What was found when a codec carried a payload once. */
export interface Verification {
  /** Why it cannot carry it, if it cannot. */
  readonly cannot?: string;
  /** Size of the encoded form, where it is bytes or text: as UTF-8, and compressed. */
  readonly bytes?: number;
  readonly gzip?: number;
}

/** Makes codecs work on payloads in the place that is measured: this process, or a Worker. */
export interface Bench {
  /** Compares what comes back with what was given; `sizes` asks for the sizes too. */
  verify(payload: string, codec: CodecName, sizes: boolean): Promise<Verification>;
  /** Carries out `count` operations and returns the time that they took together, in ms. */
  time(payload: string, codec: CodecName, operation: Operation, count: number): number | Promise<number>;
  /** Lets go of a payload and of all that was made from it. */
  forget(payload: string): void | Promise<void>;
}
