import type { Limits } from './limits.ts';
import type { TypeName } from './types/type-handler.ts';

/** A value that the codec does not carry itself, as its user's kind number and a payload that the codec does carry. */
export interface Extension {
  /** A small non-negative integer that both sides give the same meaning. */
  kind: number;
  payload: unknown;
}

/** How to encode. */
export interface EncodeOptions {
  limits?: Partial<Limits>;
  /** Carry the stacks of errors. @default false: a stack tells a stranger about the code it came from */
  errorStacks?: boolean;
  /** Asked for functions and instances of unknown classes before they are refused. */
  extend?: (value: object) => Extension | undefined;
}

/** How to decode. */
export interface DecodeOptions {
  limits?: Partial<Limits>;
  /** Types that are refused when they occur, such as `['RegExp']` for input from strangers. @default none */
  refuse?: readonly TypeName[];
  /** Turns an extension back into a value; without it extensions are refused. */
  revive?: (kind: number, payload: unknown) => unknown;
}
