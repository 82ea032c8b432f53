import type { RpcErrorCode } from '@lumenize/rpc';

/**
 * The content of a frame, and its `size` in bytes. Values are as they were sent. A `ByReference` stands for everything
 * that was not sent by value.
 */
export type FrameDescription = { readonly size: number } & FrameContent;

/** The content of a frame, by its kind. */
export type FrameContent =
  | DescribedCalls
  | { readonly kind: 'answers'; readonly answers: readonly DescribedAnswer[] }
  | DescribedAgain
  | DescribedEvents
  | DescribedSignal
  /** A text that is not a frame, such as a sign of life, as it was sent. */
  | { readonly kind: 'text'; readonly text: string }
  /** A message that cannot be read. `code` is `MALFORMED_FRAME`, or `LIMIT_EXCEEDED` if a value in it is too large. */
  | { readonly kind: 'unreadable'; readonly code: RpcErrorCode; readonly message: string };

/** A frame of calls. */
export interface DescribedCalls {
  /** The kind of description. */
  readonly kind: 'calls';
  /** The calls of the frame, in order. */
  readonly calls: readonly DescribedCall[];
  /** Ids of calls that were given up before the frame was sent. */
  readonly givenUp: readonly number[];
  /** The id below which all calls of the sender have settled; undefined if the frame does not say. */
  readonly settledBelow: number | undefined;
}

/** A call with its chain of operations, which has one answer. */
export interface DescribedCall {
  /** The id under which the call is answered. */
  readonly id: number;
  /** The thing that the first operation is for. */
  readonly receiver: ByReference;
  /** The operations of the chain, in order: each is for the result of the one before it. */
  readonly operations: readonly DescribedOperation[];
  /** Longest time that the caller waits, in milliseconds; undefined if it has no limit. */
  readonly timeoutMs: number | undefined;
  /** The caller's W3C `traceparent`. */
  readonly traceparent: string | undefined;
  /** The position from which a subscription goes on. */
  readonly since: TopicPosition | undefined;
}

/** A member that is read or called. */
export interface DescribedOperation {
  /** Name of the member; undefined if the result so far is a function that is called. */
  readonly name: string | undefined;
  /** The arguments; undefined if a property is read. */
  readonly args: readonly unknown[] | undefined;
}

/** The answer to the call with this id. */
export type DescribedAnswer = { readonly id: number } & (
  | { readonly outcome: 'returned'; readonly value: unknown }
  | { readonly outcome: 'failed'; readonly error: unknown }
);

/** A frame that may have been received before, and is sent again over another connection. */
export interface DescribedAgain {
  /** The kind of description. */
  readonly kind: 'again';
  /** Time since the frame was first sent, in milliseconds. */
  readonly ageMs: number;
  /** Ids of the calls that still have to be answered. */
  readonly open: readonly number[];
  /** The frame that is sent again. */
  readonly frame: DescribedCalls;
}

/** Events of a topic. A frame without events tells the number of the next one. */
export interface DescribedEvents {
  /** The kind of description. */
  readonly kind: 'events';
  /** The name of the topic. */
  readonly topic: string;
  /** The position of the first event. */
  readonly first: TopicPosition;
  /** The values that were published, in order. */
  readonly events: readonly unknown[];
}

/** A position in a topic: the number of an event, and the epoch of the topic. */
export type TopicPosition = readonly [epoch: string, sequence: number];

/** A signal, by the name of its first key in the protocol. */
export interface DescribedSignal {
  /** The kind of description. */
  readonly kind: 'signal';
  /** The name of the signal. */
  readonly name: 'release' | 'cancel' | 'abort' | 'as' | 'from' | 'leave' | 'end' | 'coming' | 'read';
  /** The content of the signal, with its values read. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** The callback of `map` or `filter`, as the calls that it makes for each element, with ids of their own. */
export interface DescribedCallback {
  /** The calls and reads of the callback, in order. */
  readonly calls: readonly DescribedCall[];
  /** The value that the callback returns. */
  readonly result: unknown;
  /** The values that the callback uses from outside. `capture` 1 is the first of them. */
  readonly captures: readonly unknown[];
}

/**
 * The kind of thing that a `ByReference` stands for. `connection target` is the target of the receiver. `result` is the
 * result of the call with this id, and `step` a result inside of its chain. `reference` is something that the receiver
 * of the frame had sent before. `target`, `function`, `stream`, `bytes-stream`, `iterable`, `sink` and `signal` belong
 * to the sender of the frame; a signal without an id is aborted already. `place` is a target or function that the
 * operations of the call lead to again. `topic` is a subscription, and `end` the end of a stream. `callback` is that of
 * `map` or `filter`, in which `element` and `key` are its parameters and `capture` is a value from outside.
 */
export type ReferenceKind =
  | 'connection target'
  | 'result'
  | 'step'
  | 'reference'
  | 'target'
  | 'function'
  | 'stream'
  | 'bytes-stream'
  | 'iterable'
  | 'sink'
  | 'signal'
  | 'place'
  | 'topic'
  | 'end'
  | 'callback'
  | 'element'
  | 'key'
  | 'capture';

/** Stands in a described frame for a thing that was not sent by value, but exists on one of the two sides. */
export class ByReference {
  /** The kind of thing that it stands for. */
  readonly kind: ReferenceKind;
  /** The id of the thing; undefined if it has none. */
  readonly id: number | undefined;
  /**
   * More about the thing: a `DescribedCallback`, the number of a step, the name, position and missed events of a topic,
   * or the reason of a signal that is aborted.
   */
  readonly content: unknown;

  constructor(kind: ReferenceKind, id?: number, content?: unknown) {
    this.kind = kind;
    this.id = id;
    this.content = content;
  }
}
