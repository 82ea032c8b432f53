import type { TypeName } from '../binary/types/type-names.ts';
import type { Limits } from './limits.ts';

/** A value that the codec does not carry itself, as its user's kind number and a payload that the codec does carry. */
export interface Extension {
  /** A small non-negative integer that both sides give the same meaning. */
  kind: number;
  /** What `revive` gets on the other side: any value that can be cloned. */
  payload: unknown;
}

/** What was read beforehand, by the Blob, File, Request or Response that it was read from. */
export type Bodies = ReadonlyMap<object, Uint8Array>;

/** How to encode. */
export interface EncodeOptions {
  /** Bounds on the value; those that are not given have their defaults. */
  limits?: Partial<Limits>;
  /** Carry the stacks of errors. @default false: a stack tells a stranger about the code it came from */
  errorStacks?: boolean;
  /** What `readBodies` returned for the value. @default none: what tells its bytes only asynchronously is refused */
  bodies?: Bodies;
  /** Asked for functions and instances of unknown classes before they are refused, in the binary form. */
  extend?: (value: object) => Extension | undefined;
}

/** How to decode. */
export interface DecodeOptions {
  /** Bounds on the input and on what it becomes; those that are not given have their defaults. */
  limits?: Partial<Limits>;
  /** Types, and names of registered classes, that are refused when they occur, such as `['RegExp']` for input from strangers. @default none */
  refuse?: readonly (TypeName | (string & {}))[];
  /** Turns an extension back into a value, in the binary form; without it extensions are refused. */
  revive?: (kind: number, payload: unknown) => unknown;
}
