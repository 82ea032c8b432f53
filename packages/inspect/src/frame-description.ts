import type { Position } from '../protocol/topic.ts';

/** Direction of a frame: `up` from client to server, `down` from server to client. */
export type Direction = 'up' | 'down';

/**
 * The content of a frame, and its `size` in bytes. Values are as they were sent. A `ByReference` stands for everything
 * that was not sent by value.
 */
export type FrameDescription = { readonly size: number } & (
  | { readonly kind: 'calls'; readonly calls: readonly DescribedCall[]; readonly signals: readonly DescribedSignal[] }
  | { readonly kind: 'results'; readonly results: readonly DescribedResult[] }
  | { readonly kind: 'channels'; readonly signals: readonly DescribedChannelSignal[] }
  | {
      readonly kind: 'events';
      readonly topic: string;
      readonly events: readonly DescribedEvent[];
      readonly first: number;
      readonly epoch: string;
    }
  | DescribedResent
  /** A part of a larger frame. `remaining` is the number of parts still to come. */
  | { readonly kind: 'part'; readonly remaining: number; readonly bytes: Uint8Array }
  /** A new token. It is secret, so only its length in characters is shown. */
  | { readonly kind: 'token'; readonly id: number; readonly length: number }
  /** A text that is not a frame, such as a heartbeat, as it was sent. */
  | { readonly kind: 'text'; readonly text: string }
  /**
   * A frame that is malformed, or contains something that cannot be read here. `code` is the code of an `RpcError`.
   * `firstId` is the id of the first call, if it is a frame of calls.
   */
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string; readonly firstId?: number }
);

/**
 * A frame that was sent or written for an earlier connection, and is sent over this one. Names the calls that still
 * have to be answered, and the last events that subscriptions have received.
 */
export interface DescribedResent {
  /** The kind of description. */
  readonly kind: 'resent';
  /** Time since the frame was first sent, in milliseconds; undefined if it was never sent. */
  readonly ageMs: number | undefined;
  /** Ids of the calls that still have to be answered. */
  readonly ids: readonly number[];
  /** The position behind the last event that each subscription has received, by the id of its call. */
  readonly subscriptions: ReadonlyMap<number, Position>;
  /** The frame that is sent again. */
  readonly frame: FrameDescription;
}

/** An operation, which reads a path of the receiver or calls a method at the end of the path. */
export interface DescribedCall {
  /** The id under which its result is sent. */
  readonly id: number;
  /** `get` if a property is read, `apply` if a method or function is called. */
  readonly operation: 'get' | 'apply';
  /** The receiver of the operation. */
  readonly receiver: ByReference;
  /** Names of the properties that are read, without the name of the method. */
  readonly path: readonly string[];
  /** Name of the method; undefined if a property is read, or if the receiver is a function that is called. */
  readonly method: string | undefined;
  /** The arguments; undefined if a property is read. */
  readonly args: readonly unknown[] | undefined;
  /** Longest time that the caller waits, in milliseconds; undefined if it has no limit. */
  readonly timeoutMs: number | undefined;
  /** The caller's W3C `traceparent`. */
  readonly traceparent: string | undefined;
  /** True if nobody waits for the result, because only other operations use it. */
  readonly isStep: boolean;
}

/**
 * The outcome of the call with this id. `stored` means that the call is only a step, whose result the server has
 * stored. `refused` means that the whole frame did not run, because of the operation at `index`, or because of no
 * single operation if `index` is -1.
 */
export type DescribedResult = { readonly id: number } & (
  | { readonly outcome: 'returned'; readonly value: unknown; readonly isStored: boolean }
  | { readonly outcome: 'stored' }
  | { readonly outcome: 'failed'; readonly error: unknown }
  | { readonly outcome: 'refused'; readonly error: unknown; readonly index: number }
);

/** A signal in a frame of calls. */
export type DescribedSignal =
  | { readonly kind: 'release'; readonly references: readonly { readonly id: number; readonly count: number }[] }
  | { readonly kind: 'forget' | 'acknowledge'; readonly ids: readonly number[] }
  | { readonly kind: 'leave' }
  | { readonly kind: 'cancel'; readonly id: number; readonly reason: unknown }
  | { readonly kind: 'consumed'; readonly topic: string; readonly cost: number }
  | { readonly kind: 'unsubscribe'; readonly topic: string; readonly count: number };

/** A signal of a channel, whose id was given by the sender or the receiver of the frame. */
export interface DescribedChannelSignal {
  /** The id of the channel. */
  readonly channel: number;
  /** The side that has given this id. */
  readonly owner: 'sender' | 'receiver';
  /** The kind of signal. */
  readonly kind: 'data' | 'end' | 'fail' | 'credit' | 'stop' | 'blocked';
  /** A chunk, an error, or an amount of credit in bytes. */
  readonly content: unknown;
}

/** An event of a topic. */
export interface DescribedEvent {
  /** The number of the event in the topic. */
  readonly sequence: number;
  /** The value that was published. */
  readonly event: unknown;
}

/**
 * The callback of `map` or `filter`, as the operations that it performs for each `element`. Their ids count from 1;
 * captures are numbered by their place.
 */
export interface DescribedRecording {
  /** The calls and reads of the callback, in order. */
  readonly calls: readonly DescribedCall[];
  /** The value that the callback returns. */
  readonly result: unknown;
  /** The values that the callback uses from outside. */
  readonly captures: readonly unknown[];
}

/**
 * The kind of thing that a `ByReference` stands for. `connection target` is the target of the connection. `result` is
 * the result of a call, with the id of the call. `reference` is something that the receiver of the frame had sent
 * before. `target` and `function` belong to the sender of the frame and have their own ids; `readable`, `writable`,
 * `iterable`, `promise` and `signal` belong to it, too, and have the ids of their channels. `subscription` is a
 * subscription. `recording` is the callback of `map` or `filter`, in which `element` and `key` are its parameters and
 * `capture` is a captured value, with its place.
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

/** Stands in a described frame for a thing that was not sent by value, but exists on one of the two sides. */
export class ByReference {
  /** The kind of thing that it stands for. */
  readonly kind: ReferenceKind;
  /** The id of the thing; undefined if it has none. */
  readonly id: number | undefined;
  /** The property path that is read from the thing. */
  readonly path: readonly string[];
  /**
   * More about the thing: a `DescribedRecording`, the topic and numbers of a subscription, `bytes` for a byte stream,
   * or the reason of a signal that is already aborted.
   */
  readonly content: unknown;

  constructor(kind: ReferenceKind, id?: number, path: readonly string[] = [], content?: unknown) {
    this.kind = kind;
    this.id = id;
    this.path = path;
    this.content = content;
  }
}
