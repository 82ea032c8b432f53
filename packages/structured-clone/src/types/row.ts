import type { Limits } from '../core/limits.ts';
import type { DecodeOptions, EncodeOptions } from '../core/options.ts';

/** Part of the encoder that a row may use. */
export interface From {
  /** Options that the user gave. */
  readonly options: EncodeOptions;
  /** Notes that a buffer is used once more; true if it is to be written whole. */
  shares(buffer: ArrayBufferLike): boolean;
  /** The user's limits, and the defaults of others. */
  readonly limits: Readonly<Limits>;
  /** Holes in all arrays of the value up to now. */
  holes: number;
}

/** Part of the decoder that a row may use. */
export interface To {
  /** Options that the user gave. */
  readonly options: DecodeOptions;
  /** The user's limits, and the defaults of others. */
  readonly limits: Readonly<Limits>;
  /** Holes in all arrays of the value up to now. */
  holes: number;
}

/** Form of the instances of one class, in a message and in text alike: as `{"$name": parts}`. */
export interface Row {
  /** The name of the class; with a small first letter where it is none of the platform's. */
  readonly name: string;
  /** Number of objects that it counts as, by its memory. @default 1 */
  readonly weight?: number;
  /**
   * Finds the instances where these do not name themselves, as those of the platform's classes do. Parts of such a row are
   * values of any kind, which may not lead back to the instance, and errors of `make` pass through.
   */
  is?(value: object): boolean;
  /**
   * Takes an instance apart into a list of its own, of values that say what it is. Where there is neither `is` nor `empty`, a Uint8Array among
   * them is no value but bytes, and the others are primitives, or what `make` checks.
   */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
  parts(value: any, from: From): unknown[];
  /** Makes an empty instance, where parts may lead back to it. */
  empty?(): object;
  /** Makes the instance of its parts, or fills the empty one. Anything can have arrived; whatever is thrown says that it is malformed. */
  // biome-ignore lint/suspicious/noExplicitAny: what came of them is checked
  make(parts: any[], to: To, into?: any): unknown;
  /** Finds, among all, the row for an instance of one of several classes that all name themselves alike. */
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
  nearest?(value: any, rows: readonly Row[]): Row | undefined;
}
