import type { Fault } from '../world.ts';

/**
 * Everything that happens in one run, as data: the target, the clients, and their steps and faults with their times.
 */
export interface Program {
  /** The seed of the schedule, which decides what happens next. */
  readonly seed: number;
  readonly target: TargetSpec;
  readonly clients: readonly ClientSpec[];
  readonly steps: readonly Step[];
}

/**
 * A class that is created at run time. It is the class of the connection's target and of all targets that it returns.
 */
export interface TargetSpec {
  readonly methods: readonly MethodSpec[];
  /** The ways to another target of the same class: getters or methods. */
  readonly ways: readonly WaySpec[];
  readonly topics: readonly TopicSpec[];
  readonly options: ServerSpec;
  /** What the next version of the class declares otherwise, by method. Deploys install it. */
  readonly next?: readonly MethodChange[];
}

/** What another version of the class declares otherwise of a method. */
export interface MethodChange {
  readonly delivery?: Delivery;
  readonly guard?: Check;
  /** True if there is no such method any more. */
  readonly gone?: boolean;
}

/** Options of the object: limits that programs can reach. */
export interface ServerSpec {
  readonly maxCallsInFlight?: number;
  readonly maxReferences?: number;
  readonly maxSubscriptions?: number;
  readonly maxMessageBytes?: number;
  /** The operations of a connection: so many at once, and so many per second. */
  readonly burst?: number;
  /** True if the Worker lets in clients without a token, as nobody. */
  readonly anyone?: boolean;
}

/** How a member runs: synchronously, as a function that returns a promise, or declared `async`. */
export const SHAPES = ['sync', 'promise', 'async'] as const;
export type Shape = (typeof SHAPES)[number];

/**
 * What a member awaits before its effect, if its shape allows it. `abort` waits until its caller gives up, or for a
 * long time.
 */
export const WAITS = ['none', 'microtask', 'timer', 'storage', 'abort'] as const;
export type Wait = (typeof WAITS)[number];

/** Declarations in `static rpc` for what happens to lost calls. */
export const DELIVERIES = ['default', 'idempotent', 'readOnly', 'restorable', 'exactlyOnce'] as const;
export type Delivery = (typeof DELIVERIES)[number];

/**
 * The form of a guard or a schema: none, synchronous, returning a promise, declared `async`, or answering after a
 * timer.
 */
export const CHECKS = ['none', 'sync', 'promise', 'async', 'late'] as const;
export type Check = (typeof CHECKS)[number];

/**
 * What a method does besides returning: nothing, write one row, raise a counter by reading, awaiting and writing, or
 * publish.
 */
export const DOINGS = ['read', 'effect', 'counter', 'publish'] as const;
export type Doing = (typeof DOINGS)[number];

/** What a method takes besides its key. */
export const TAKINGS = ['value', 'callback', 'target', 'iterable', 'stream', 'signal'] as const;
export type Taking = (typeof TAKINGS)[number];

/** Kinds of results. */
export const RETURNS = [
  'number',
  'echo',
  'list',
  'function',
  'promise',
  'generator',
  'stream',
  'bytes',
  'writable',
  'subscription',
] as const;
export type Returning = (typeof RETURNS)[number];

interface MemberSpec {
  readonly shape: Shape;
  readonly wait: Wait;
  readonly delivery: Delivery;
  readonly guard: Check;
  readonly schema: Check;
}

export interface MethodSpec extends MemberSpec {
  readonly does: Doing;
  readonly takes: Taking;
  readonly returns: Returning;
  /** True if an own field of the target hides the method. */
  readonly hidden?: boolean;
  /** True if its schemas are a list with one for each argument, instead of one for all. */
  readonly schemaList?: boolean;
  /** The form of a guard that a base class declares. It is asked beside the guard of the class. */
  readonly baseGuard?: Check;
  /** What the method ends after its effect: the object, or the caller's connection with this code. */
  readonly ends?: 'object' | number;
}

export interface WaySpec extends MemberSpec {
  readonly isGetter: boolean;
  /** The client that its guard refuses, if it has a guard. */
  readonly denies?: number;
}

export interface TopicSpec {
  readonly retain: number;
  readonly persist?: { readonly everyEvents: number; readonly everyMs: number };
}

export interface ClientSpec {
  /** How long the client's identity is valid, in milliseconds; undefined if it does not expire. */
  readonly expiresMs?: number;
  /** True if the token identifies nobody. */
  readonly isNobody?: boolean;
}

export type Step = { readonly at: number } & StepAction;

export type StepAction =
  | { readonly kind: 'calls'; readonly client: number; readonly calls: readonly CallSpec[] }
  | { readonly kind: 'fault'; readonly fault: Fault }
  /** Disposes of all stubs that the client keeps. */
  | { readonly kind: 'dispose'; readonly client: number }
  /** Ends all subscriptions and streams that the client reads. */
  | { readonly kind: 'leave'; readonly client: number }
  | { readonly kind: 'authenticate'; readonly client: number }
  /** Closes the connection for good, and connects as a new client. */
  | { readonly kind: 'close'; readonly client: number; readonly user?: User }
  /** Forgets everything without closing, and connects as a new client. */
  | { readonly kind: 'reload'; readonly client: number; readonly user?: User }
  /**
   * Has a client's tokens belong to another user, or to nobody. Tells the connection, unless `silently`: then only the
   * next connection shows such a token.
   */
  | { readonly kind: 'become'; readonly client: number; readonly user: User; readonly silently?: boolean }
  /** Makes `target()` throw for a time, as if something that it reads were missing. */
  | { readonly kind: 'break'; readonly ms: number };

/** A user of a client. Of nobody there is no token. */
export const USERS = ['first', 'second', 'undefined'] as const;
export type User = (typeof USERS)[number];

/**
 * What a call may request: that its guard or schema refuses it, that its guard returns a truthy value other than true,
 * or that the method or its result fails.
 */
export const REFUSALS = ['guard', 'truthy', 'schema', 'arguments', 'throw', 'later', 'baseGuard'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** How a call reaches the target of its method, following `ways` from the connection's target. */
export const HOWS = ['chained', 'awaited', 'kept'] as const;

/** One call. Numbers of methods and ways are taken modulo their count, so that a shrunk program is still valid. */
export interface CallSpec {
  readonly method: number;
  readonly ways: readonly number[];
  /**
   * How to reach the target: in one chain, step by step while disposing of each step, or by a stub kept from an earlier
   * call, if there is one.
   */
  readonly how: (typeof HOWS)[number];
  /** Requests that the guard or schema refuses, or that the method throws after its effect. */
  readonly refuse?: Refusal;
  /** The number of elements, calls of a callback, or chunks of the call. */
  readonly count: number;
  readonly extra: number;
  /** The size of an additional argument, in kilobytes. */
  readonly weight?: number;
  readonly limit?: { readonly timeoutMs: number } | { readonly abortMs: number };
  /** The number of elements after which the client leaves. `pauseMs` is its time for each element. */
  readonly leaveAfter?: number;
  readonly pauseMs?: number;
  /** True if the argument is the result of the previous call in the same turn. */
  readonly usesPrevious?: boolean;
  /** For lists: the method to call for each element, with `map`. */
  readonly mapped?: number;
}
