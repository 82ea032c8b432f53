/** Keys of a target that are never remote: a promise's own, and the brand of the platform's `RpcTarget`. */
type LocalKey = symbol | 'then' | 'toJSON' | 'constructor' | '__RPC_TARGET_BRAND';

type IsAny<T> = 0 extends 1 & T ? true : false;

/** Values that arrive whole, so that nothing is read from them on the way. */
type Opaque =
  | string
  | number
  | boolean
  | bigint
  | symbol
  | null
  | undefined
  | Date
  | RegExp
  | Error
  | ArrayBuffer
  | ArrayBufferView;

/** What a remote member is called and awaited as. */
type Member<T> = T extends (...args: infer Args) => infer Result
  ? (...args: RemoteArguments<Args>) => RemotePromise<Awaited<Result>>
  : RemotePromise<Awaited<T>>;

type RemoteArguments<Args extends unknown[]> = { [Index in keyof Args]: Args[Index] | RemotePromise<Args[Index]> };

/** The members of a target that can be reached through a stub. */
export type RemoteMembers<Api> = {
  readonly [Key in keyof Api as Key extends LocalKey ? never : Key]: Member<Api[Key]>;
};

/**
 * The result of a remote call: a promise of the value, and before it arrives a stub of it, whose properties and
 * methods can be used in the same turn and travel in the same frame.
 */
export type RemotePromise<T> = Promise<T> &
  (IsAny<T> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: what is untyped stays untyped
      any
    : [T] extends [Opaque]
      ? unknown
      : Omit<RemoteMembers<NonNullable<T>>, keyof Promise<unknown>>);

/** A target as its client sees it: every declared method and getter, asynchronous; disposing it closes the connection. */
export type Stub<Api> =
  IsAny<Api> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: what is untyped stays untyped
      any
    : RemoteMembers<Api> & Disposable;
