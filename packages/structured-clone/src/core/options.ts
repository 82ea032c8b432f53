import type { Limits } from './limits.ts';

/** Form of a value that the codec does not carry itself. */
export interface Extension {
  /** A name that both sides give the same meaning: it begins with a small letter, and is no mark of the codec's own. */
  readonly name: string;
  /** Parts that `revive` gets on the other side: values of any kind, which may not lead back to the value. */
  readonly parts: readonly unknown[];
}

/** Bytes read beforehand, by the Blob, File, Request or Response that they come from. */
export type Bodies = ReadonlyMap<object, Uint8Array>;

/** Options of encoding. */
export interface EncodeOptions {
  /** Bounds on the value; those that are not given have their defaults. */
  limits?: Partial<Limits>;
  /** Carry the stacks of errors. @default false: a stack tells a stranger about the code it came from */
  errorStacks?: boolean;
  /** Result of `readBodies` for the value. @default none: what tells its bytes only asynchronously is refused */
  bodies?: Bodies;
  /** Asked for functions and instances of unknown classes before they are refused. */
  extend?: (value: object) => Extension | undefined;
}

/** Options of decoding. */
export interface DecodeOptions {
  /** Bounds on the input and on what it becomes; those that are not given have their defaults. */
  limits?: Partial<Limits>;
  /** Types, and names of registered classes, that are refused when they occur, such as `['RegExp']` for input from strangers. @default none */
  refuse?: readonly string[];
  /** Turns an extension back into a value; what it throws passes through. Without it extensions are refused. */
  revive?: (name: string, parts: unknown[]) => unknown;
}
