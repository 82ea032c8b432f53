/** Direction of a frame: `up` from client to server, `down` back. */
export type Direction = 'up' | 'down';

/** The content of a frame. Values are as they were sent, and a `ByReference` stands for each that is none. `size` is in bytes. */
export type FrameDescription = { readonly size: number } & (
  | { readonly kind: 'calls'; readonly calls: readonly DescribedCall[]; readonly signals: readonly DescribedSignal[] }
  | { readonly kind: 'results'; readonly results: readonly DescribedResult[] }
  | { readonly kind: 'channels'; readonly signals: readonly DescribedChannelSignal[] }
  | {
      readonly kind: 'events';
      readonly topic: string;
      readonly events: readonly DescribedEvent[];
      readonly first: number;
    }
  | DescribedResent
  /** A part of a larger frame, with how many are still to come. */
  | { readonly kind: 'part'; readonly remaining: number; readonly bytes: Uint8Array }
  /** A new token, which is a secret: its length in characters. */
  | { readonly kind: 'token'; readonly id: number; readonly length: number }
  /** A frame that is text, as it is. */
  | { readonly kind: 'text'; readonly text: string }
  /** Malformed, or holding what cannot be read here; `code` is that of an `RpcError`. `firstId`, where it was a frame of calls. */
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string; readonly firstId?: number }
);

/** A frame that was sent before: `ageMs` ago, or never; calls to be answered still, and the last events that subscriptions have had. */
export interface DescribedResent {
  /** The kind of description. */
  readonly kind: 'resent';
  /** Time since it was sent first, in milliseconds; undefined where it never was. */
  readonly ageMs: number | undefined;
  /** Ids of calls that are to be answered still. */
  readonly ids: readonly number[];
  /** The last event that each subscription has had, by its call. */
  readonly subscriptions: ReadonlyMap<number, number>;
  /** The frame that is sent again. */
  readonly frame: FrameDescription;
}

/** An operation: reading a path of the receiver, or calling a method of what is read. */
export interface DescribedCall {
  /** The number that its result comes under. */
  readonly id: number;
  /** Reading, or calling. */
  readonly operation: 'get' | 'apply';
  /** The receiver of the operation. */
  readonly receiver: ByReference;
  /** Properties that are read: without the method's name. */
  readonly path: readonly string[];
  /** Undefined for reading, and where the receiver is a function that is called. */
  readonly method: string | undefined;
  /** The arguments; undefined for reading. */
  readonly args: readonly unknown[] | undefined;
  /** Longest time that the caller waits, in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** The caller's W3C `traceparent`. */
  readonly traceparent: string | undefined;
  /** True if nobody waits for its result: it is for other operations only. */
  readonly isStep: boolean;
}

/**
 * The outcome of the call with that id; `stored`: it is only a step, whose result the server has stored; `refused`: its whole frame
 * did not run, because of the operation at `index`, or -1.
 */
export type DescribedResult = { readonly id: number } & (
  | { readonly outcome: 'returned'; readonly value: unknown; readonly isStored: boolean }
  | { readonly outcome: 'stored' }
  | { readonly outcome: 'failed'; readonly error: unknown }
  | { readonly outcome: 'refused'; readonly error: unknown; readonly index: number }
);

/** A signal among calls. */
export type DescribedSignal =
  | { readonly kind: 'release'; readonly references: readonly { readonly id: number; readonly count: number }[] }
  | { readonly kind: 'forget' | 'acknowledge'; readonly ids: readonly number[] }
  | { readonly kind: 'leave' }
  | { readonly kind: 'cancel'; readonly id: number; readonly reason: unknown }
  | { readonly kind: 'consumed'; readonly topic: string; readonly cost: number }
  | { readonly kind: 'unsubscribe'; readonly topic: string; readonly count: number };

/** A signal of a channel, whose id the sender or the receiver of the frame has given. */
export interface DescribedChannelSignal {
  /** The number of the channel. */
  readonly channel: number;
  /** The side that has given that number. */
  readonly owner: 'sender' | 'receiver';
  /** Its content. */
  readonly kind: 'data' | 'end' | 'fail' | 'credit' | 'stop' | 'blocked';
  /** A chunk, an error, or an amount in bytes. */
  readonly content: unknown;
}

/** An event of a topic. */
export interface DescribedEvent {
  /** Its number in the topic. */
  readonly sequence: number;
  /** The value that was published. */
  readonly event: unknown;
}

/** The callback of `map` or `filter`: what it does with each `element`. Ids count from 1; its captures are by place. */
export interface DescribedRecording {
  /** Its calls and reads, in order. */
  readonly calls: readonly DescribedCall[];
  /** The value that it returns. */
  readonly result: unknown;
  /** Values that it uses from outside. */
  readonly captures: readonly unknown[];
}

/**
 * The thing that a mark stands for: `connection target`; the `result` of a call, by its id; a `reference` that the receiver of the frame had sent
 * before; what the sender of the frame holds, `target` and `function` by their ids and `readable`, `writable`, `iterable`, `promise`
 * and `signal` by those of their channels; a `subscription`; the callback of `map` or `filter`, a `recording`; and in one the
 * `element`, its `key`, and a `capture` by its place.
 */
export type ReferenceKind =
  | 'connection target'
  | 'result'
  | 'reference'
  | 'target'
  | 'function'
  | 'readable'
  | 'writable'
  | 'iterable'
  | 'promise'
  | 'signal'
  | 'subscription'
  | 'recording'
  | 'element'
  | 'key'
  | 'capture';

/** Stands in a described frame for what is no value in it, but something on one of the two sides. */
export class ByReference {
  /** The kind of thing that it stands for. */
  readonly kind: ReferenceKind;
  /** Its number, where it has one. */
  readonly id: number | undefined;
  /** The property path that is read of it. */
  readonly path: readonly string[];
  /** More of it: a `DescribedRecording`, topic and numbers of a subscription, why a signal is aborted already. */
  readonly content: unknown;

  constructor(kind: ReferenceKind, id?: number, path: readonly string[] = [], content?: unknown) {
    this.kind = kind;
    this.id = id;
    this.path = path;
    this.content = content;
  }
}
