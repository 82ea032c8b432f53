import type { Fault } from '../world.ts';

/** Everything that happens in one run, as data: what is served, who connects, and what they do and suffer, and when. */
export interface Program {
  /** Of the schedule: which of the things that can happen next does. */
  readonly seed: number;
  readonly target: TargetSpec;
  readonly clients: readonly ClientSpec[];
  readonly steps: readonly Step[];
}

/** A class that is made at run time, of the connection's target and of all targets that it returns. */
export interface TargetSpec {
  readonly methods: readonly MethodSpec[];
  /** Ways to another target of the same class: by a getter, or a method. */
  readonly ways: readonly WaySpec[];
  readonly topics: readonly TopicSpec[];
  readonly options: ServerSpec;
}

/** Options of the object: limits that programs can reach. */
export interface ServerSpec {
  readonly maxCallsInFlight?: number;
  readonly maxReferences?: number;
  readonly maxChannels?: number;
  readonly maxSubscriptions?: number;
  readonly maxFrameBytes?: number;
  /** Operations of a connection: so many at once, and so many a second. */
  readonly burst?: number;
}

/** Ways in which a member runs: at once; as a function that returns a promise; declared `async`. */
export const SHAPES = ['sync', 'promise', 'async'] as const;
export type Shape = (typeof SHAPES)[number];

/** Things that a member awaits before its effect, where its shape allows it: `abort` is until its caller gives up, or for long. */
export const WAITS = ['none', 'microtask', 'timer', 'storage', 'abort'] as const;
export type Wait = (typeof WAITS)[number];

/** Declarations in `static rpc` of what becomes of calls that are lost. */
export const DELIVERIES = ['default', 'idempotent', 'readOnly', 'restorable', 'exactlyOnce'] as const;
export type Delivery = (typeof DELIVERIES)[number];

/** The form of a guard or a schema: none; its answer at once; a promise of it; declared `async`; only after a timer. */
export const CHECKS = ['none', 'sync', 'promise', 'async', 'late'] as const;
export type Check = (typeof CHECKS)[number];

/** Things that a method does beside answering: nothing; one row; raises a counter by reading, awaiting and writing; publishes. */
export const DOINGS = ['read', 'effect', 'counter', 'publish'] as const;
export type Doing = (typeof DOINGS)[number];

/** Things that a method takes beside its key. */
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
  /** True if an own field of the target hides it. */
  readonly hidden?: boolean;
  /** True if its schemas are a list, one for each argument, and not one for all. */
  readonly schemaList?: boolean;
  /** Ends what it runs in after its effect: the object, or the caller's connection with a code. */
  readonly ends?: 'object' | number;
}

export interface WaySpec extends MemberSpec {
  readonly isGetter: boolean;
  /** The client whom its guard, where it has one, does not let through. */
  readonly denies?: number;
}

export interface TopicSpec {
  readonly retain: number;
  readonly persist?: { readonly everyEvents: number; readonly everyMs: number };
}

export interface ClientSpec {
  /** Time that its identity lasts, in milliseconds; undefined where it does not expire. */
  readonly expiresMs?: number;
  readonly early: boolean;
  /** True if its token is of nobody. */
  readonly isNobody?: boolean;
}

export type Step = { readonly at: number } & StepAction;

export type StepAction =
  | { readonly kind: 'calls'; readonly client: number; readonly calls: readonly CallSpec[] }
  | { readonly kind: 'fault'; readonly fault: Fault }
  /** Lets go of all stubs that it keeps. */
  | { readonly kind: 'dispose'; readonly client: number }
  /** Ends what it goes through: subscriptions and streams. */
  | { readonly kind: 'leave'; readonly client: number }
  | { readonly kind: 'authenticate'; readonly client: number }
  /** Closes for good, and connects as a new client. */
  | { readonly kind: 'close'; readonly client: number }
  /** Forgets everything without a word, and connects as a new client. */
  | { readonly kind: 'reload'; readonly client: number };

/** Things that a call may ask for: that its guard or schema refuses it, or answers what is only true enough; that the method, or what it returns, fails. */
export const REFUSALS = ['guard', 'truthy', 'schema', 'arguments', 'throw', 'later'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Ways for a call to get to the target of its method: by its place in `ways`, from the connection's target on. */
export const HOWS = ['chained', 'awaited', 'kept'] as const;

/** One call. Numbers of methods and ways are taken modulo how many there are, so that what is shortened stays a program. */
export interface CallSpec {
  readonly method: number;
  readonly ways: readonly number[];
  /** All in one chain; step by step, letting go of each; by a stub that is kept from an earlier call, where there is one. */
  readonly how: (typeof HOWS)[number];
  /** Asks guard and schema to refuse, or the method to throw after its effect. */
  readonly refuse?: Refusal;
  /** Number of elements, calls of a callback or chunks that it is about. */
  readonly count: number;
  readonly extra: number;
  /** Kilobytes that it passes beside. */
  readonly weight?: number;
  readonly limit?: { readonly timeoutMs: number } | { readonly abortMs: number };
  /** After how many elements it leaves, and how long it takes for each. */
  readonly leaveAfter?: number;
  readonly pauseMs?: number;
  /** True if the argument is the result of the call before in the same turn. */
  readonly usesPrevious?: boolean;
  /** For lists: what is called for each element, by `map`. */
  readonly mapped?: number;
}
