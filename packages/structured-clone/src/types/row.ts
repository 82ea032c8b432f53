import type { Limits } from '../core/limits.ts';
import type { DecodeOptions, EncodeOptions } from '../core/options.ts';

/** The part of the decoder that a row may use. */
export interface DecodeContext<Options = DecodeOptions> {
  /** The options given by the user. */
  readonly options: Options;
  /** The user's limits, completed with the defaults. */
  readonly limits: Readonly<Limits>;
  /** The number of holes in all arrays of the value so far. */
  holes: number;
  /** Adds to the weight of the value. Throws if `maxObjects` is exceeded. */
  count(weight: number): void;
}

/** The part of the encoder that a row may use. */
export interface EncodeContext extends DecodeContext<EncodeOptions> {
  /** Records one more use of a buffer. Returns true if the whole buffer must be encoded. */
  shares(buffer: ArrayBufferLike): boolean;
}

/** The encoding of the instances of one class: `{"$name": parts}`, in messages and in text alike. */
export interface Row {
  /** The name of the class. It begins with a small letter if the class is not one of the platform's. */
  readonly name: string;
  /** The number of objects that an instance counts as, by its memory. @default 1 */
  readonly weight?: number;
  /**
   * Returns true for instances of this row. Rows of platform classes do not need it, because their instances name
   * themselves. It gets objects of all kinds, stubs too, so it must not read their properties. The parts of a row with `is` are values of any kind that do not refer back to the instance. Errors thrown
   * by its `make` pass through.
   */
  is?(value: object): boolean;
  /**
   * Takes an instance apart into a new list of values that describe it. If the row has neither `is` nor `empty`, a
   * Uint8Array in the list stands for bytes, not for a value, and the other parts are primitives or values that `make`
   * checks.
   */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
  parts(value: any, from: EncodeContext): unknown[];
  /** Creates an empty instance. Rows whose parts may refer back to the instance have this function. */
  empty?(): object;
  /**
   * Creates an instance from its parts, or fills the empty instance `into`. The parts may be anything: errors thrown
   * here mean that the input is malformed.
   */
  // biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
  make(parts: any[], to: DecodeContext, into?: any): unknown;
  /** Returns the row for an instance, out of all rows. Used if several classes name themselves alike, as errors do. */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
  nearest?<T extends Row>(value: any, rows: readonly T[]): T | undefined;
}
