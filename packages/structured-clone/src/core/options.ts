import type { Limits } from './limits.ts';

/** The encoding of a value that the codec does not support itself. */
export interface Extension {
  /**
   * A name that means the same on both sides. It begins with a small letter and is not one of the codec's own marks.
   */
  readonly name: string;
  /**
   * The parts that `revive` gets on the other side: values of any kind that do not refer back to the extended value.
   */
  readonly parts: readonly unknown[];
}

/** Bodies read beforehand, by the Blob, File, Request or Response that they come from. */
export type Bodies = ReadonlyMap<object, Uint8Array>;

/** Options of encoding. */
export interface EncodeOptions {
  /** Limits on the value. Missing limits have their defaults. */
  limits?: Partial<Limits>;
  /** Includes the stacks of errors. @default false: a stack tells a stranger about the code it came from */
  errorStacks?: boolean;
  /** The result of `readBodies` for the value. @default none: values with a body, such as a Blob, are refused */
  bodies?: Bodies | undefined;
  /**
   * Called for functions and instances of unknown classes before they are refused. Returns how to encode the value, or
   * undefined to refuse it.
   */
  extend?: (value: object) => Extension | undefined;
}

/** Options of decoding. */
export interface DecodeOptions {
  /** Limits on the input and on the decoded value. Missing limits have their defaults. */
  limits?: Partial<Limits>;
  /** Names of types and registered classes to refuse, such as `['RegExp']` for input from strangers. @default none */
  refuse?: readonly string[];
  /**
   * Called to turn an extension back into a value. Errors that it throws pass through. Without it, extensions are
   * refused.
   */
  revive?: (name: string, parts: unknown[]) => unknown;
}
