/** What a request accepts that asks what an object declares, and what the answer is: JSON, a `TargetDescription`. */
export const DESCRIPTION_TYPE = 'application/x-lumenize-rpc-description+json';

/** What a target declares, as far as its caller can reach it. */
export interface TargetDescription {
  /** The name of its class, which bundlers may have shortened. */
  readonly name: string;
  /** Its methods and getters, in the order of their names. */
  readonly members: readonly MemberDescription[];
}

/** A method or getter that can be called remotely. */
export interface MemberDescription {
  /** What it is called. */
  readonly name: string;
  /** Whether it is called or read. */
  readonly kind: 'method' | 'getter';
  /** What the class's `static rpc` says of it, by name, such as `exactlyOnce`, `guard` and `args`. */
  readonly options: readonly string[];
}
