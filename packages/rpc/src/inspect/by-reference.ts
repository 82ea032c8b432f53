/**
 * What a mark stands for: `connection target`; the `result` of a call, by its id; a `reference` that the receiver of the frame had sent
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
  /** What it is that is not here. */
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
