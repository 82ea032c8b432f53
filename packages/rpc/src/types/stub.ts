/// <reference lib="esnext.disposable" preserve="true" />
import type { Subscription } from './topic.ts';
import type {
  AnyStream,
  Data,
  Elsewhere,
  HasOnlyMethods,
  Here,
  Opaque,
  Recorded,
  Remote,
  TargetMark,
} from './value-kinds.ts';

// The exported types are not conditional types themselves, so that editors and messages show them by name.

/**
 * A target or a function of the other side. The stub has the target's methods and getters, all asynchronous, and can be
 * called if it stands for a function. Disposing the stub releases the target; disposing the stub that `connect`
 * returned closes the connection.
 */
export type Stub<T> = StubMembers<T> & Remote<T> & Disposable;

/**
 * The result of a remote call: a promise of the value that arrives. Before that it is a stub of the result, whose
 * members can be used at once and travel in the same frame. Disposing it releases the references in the result.
 */
export type RemotePromise<T> = Promise<Received<T>> & Steps<T> & Remote<T> & Disposable;

// Compilers write what a project declares into its `.d.ts` files: aliases of this file in full, and all others by a name to import, which
// entries have to export.
type IsAny<T> = [0, 1] extends [1 & T, T] ? true : false;
type AnyFunction = (...args: never) => unknown;

/**
 * Keys of a target that are never remote: those of promises and of JSON, those that tools look up on any value, and the
 * mark of targets.
 */
type LocalKey =
  | symbol
  | 'then'
  | 'toJSON'
  | 'constructor'
  | 'asymmetricMatch'
  | '_isMockFunction'
  | `@@${string}`
  | keyof TargetMark;

type StubMembers<T> =
  IsAny<T> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: untyped values stay untyped
      any
    : T extends AnyFunction
      ? Method<T>
      : RemoteMembers<T>;

/**
 * The members of a target, or of data, that can be reached through a stub. Using an optional member rejects if it is
 * missing.
 */
export type RemoteMembers<T, Local = LocalKey> = {
  readonly [Key in keyof (T & Elsewhere) as Key extends keyof Elsewhere
    ? Key
    : Key extends Local
      ? never
      : Key]-?: Key extends keyof T ? Member<T[Key]> : true;
};

type Member<T> = [T] extends [undefined]
  ? RemotePromise<T>
  : IsAny<T> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: untyped values stay untyped
      any
    : [T] extends [AnyFunction | undefined]
      ? Method<Exclude<T, undefined>>
      : RemotePromise<Resolved<T>>;

/**
 * A function called remotely. A signature that is rebuilt from parameters and result loses overloads and type
 * parameters, which `RichMethod` handles.
 */
type Method<T> = T extends (...args: infer Args) => infer Result
  ? ((...args: Args) => Result) extends T
    ? Call<Args, Result>
    : RichMethod<T>
  : never;

type Call<Args extends unknown[], Result> = (...args: SentList<Args>) => RemotePromise<Resolved<Result>>;

/**
 * The value that a result resolves to on the other side: the value of a promise, or the value behind another remote
 * result.
 */
// Not by `Awaited` alone: from that, a stub would come without its name.
type Resolved<T> = T extends Promise<unknown> & Remote<infer Value>
  ? Value
  : T extends Promise<infer Value>
    ? Resolved<Value>
    : Awaited<T>;

/**
 * The remote form of a function with overloads or type parameters. Infers up to four overloads. If there are fewer, the
 * first one is inferred again, which changes nothing.
 */
type RichMethod<T> = T extends {
  (...args: infer Args1): infer Result1;
  (...args: infer Args2): infer Result2;
  (...args: infer Args3): infer Result3;
  (...args: infer Args4): infer Result4;
}
  ? [[Args1, Result1], [Args4, Result4]] extends [[Args4, Result4], [Args1, Result1]]
    ? [Result4] extends [Promise<unknown> & Remote<unknown>]
      ? T
      : GenericMethod<T, Call<Args4, Result4>>
    : Call<Args1, Result1> & Call<Args2, Result2> & Call<Args3, Result3> & Call<Args4, Result4>
  : never;

// TypeScript cannot rewrite a signature and keep its type parameters. So the most frequent signatures are recognised;
// for all others, parameters and results are as wide as the constraints.
type GenericMethod<T, Widest> =
  T extends <Value>(value: Value, ...rest: infer Rest) => Value | Promise<Value>
    ? <Value>(value: Value | Remote<Value>, ...rest: SentList<Rest>) => RemotePromise<Recorded<Value>>
    : T extends <Value>(...args: infer Args) => Value | Promise<Value>
      ? <Value>(...args: SentList<Args>) => RemotePromise<Value>
      : T extends <Value>(...args: infer Args) => Value | undefined | Promise<Value | undefined>
        ? <Value>(...args: SentList<Args>) => RemotePromise<Value | undefined>
        : T extends <Value>(...args: infer Args) => Value | null | Promise<Value | null>
          ? <Value>(...args: SentList<Args>) => RemotePromise<Value | null>
          : T extends <Value>(...args: infer Args) => Value[] | Promise<Value[]>
            ? <Value>(...args: SentList<Args>) => RemotePromise<Value[]>
            : Widest;

/** A value as it arrives: the value that was sent, with stubs in place of its targets and functions. */
export type Received<T> = [T] extends [Data<T>] ? T : Arrived<T>;

type Arrived<T> = unknown extends T
  ? T
  : T extends Opaque | Remote<unknown>
    ? T
    : T extends AnyFunction | TargetMark
      ? Stub<T>
      : T extends AnyStream
        ? ArrivedStream<T>
        : T extends AsyncIterable<infer Item>
          ? AsyncIterable<Received<Item>>
          : T extends PromiseLike<infer Value>
            ? Received<Value>
            : T extends Map<infer Key, infer Value>
              ? Map<Received<Key>, Received<Value>>
              : T extends ReadonlyMap<infer Key, infer Value>
                ? ReadonlyMap<Received<Key>, Received<Value>>
                : T extends Set<infer Item>
                  ? Set<Received<Item>>
                  : T extends ReadonlySet<infer Item>
                    ? ReadonlySet<Received<Item>>
                    : T extends readonly unknown[]
                      ? ArrivedList<T>
                      : HasOnlyMethods<T> extends true
                        ? Stub<T>
                        : { [Key in keyof T]: Received<T[Key]> };

// biome-ignore lint/suspicious/noTsIgnore: projects without `ReadableStream` read this too
/** @ts-ignore */
type ArrivedStream<T> = unknown extends ReadableStream
  ? T
  : T extends ReadableStream<infer Chunk>
    ? ReadableStream<Received<Chunk>>
    : T;

// Only tuples are mapped, not lists of any length. Mapping resolves the items at once, and would never end for a
// recursive type such as a tree.
type ArrivedList<T extends readonly unknown[]> = number extends T['length']
  ? T extends unknown[]
    ? Received<T[number]>[]
    : readonly Received<T[number]>[]
  : { [Index in keyof T]: Received<T[Index]> };

type ReceivedList<Args extends unknown[]> = { [Index in keyof Args]: Received<Args[Index]> };

/**
 * A value that can be sent where the other side takes a `T`: the value, or a stub or result that stands for it or for a
 * part of it.
 */
export type Sent<T> = Remote<T | Stubbed<T>> | SentValue<T> | Generic<T>;

/** `T` as a method may be declared to return it: with stubs in place of its targets and functions. Data has none. */
type Stubbed<T> = [T] extends [Data<T>] ? never : Sent<T>;

/**
 * `T` itself while it is a type parameter, so that generic code can send what it is given; `never` once it is known. The compiler
 * does not resolve the condition before that, and sees that the first branch is only for what no type parameter can be.
 */
type Generic<T> = [IsAny<T> extends true ? unknown : never] extends [never] ? never : T;

type SentList<Args extends unknown[]> = { [Index in keyof Args]: Sent<Args[Index]> };

type SentValue<T> = unknown extends T
  ? T
  : T extends Remote<infer Value>
    ? Sent<Value>
    : T extends Opaque | AnyStream
      ? T
      : T extends (...args: infer Args) => infer Result
        ? (...args: ReceivedList<Args>) => SentResult<Result>
        : T extends AsyncIterable<infer Item>
          ? AsyncIterable<Sent<Item>>
          : T extends PromiseLike<infer Value>
            ? PromiseLike<Sent<Value>> | Remote<Value>
            : T extends ReadonlyMap<infer Key, infer Value>
              ? ReadonlyMap<Sent<Key>, Sent<Value>>
              : T extends ReadonlySet<infer Item>
                ? ReadonlySet<Sent<Item>>
                : T extends readonly unknown[]
                  ? number extends T['length']
                    ? T extends readonly [unknown, ...unknown[]]
                      ? SentTuple<T, number>
                      : readonly Sent<T[number]>[]
                    : SentTuple<T>
                  : T extends TargetMark
                    ? T | SentMembers<T>
                    : SentMembers<T>;

// An object type with the items as properties, because properties are resolved one by one. Mapped as a tuple, a tuple
// that contains itself would never end. `Rest` is number for a list of any length.
type SentTuple<T extends readonly unknown[], Rest = never> = {
  readonly [Index in keyof T as Index extends `${number}` | 'length' | Rest ? Index : never]: Index extends 'length'
    ? T[Index]
    : Sent<T[Index]>;
};

type SentMembers<T> = {
  readonly [Key in keyof (T & Here) as Key extends keyof Here
    ? Key
    : Key extends symbol
      ? never
      : Key]: Key extends keyof (TargetMark & Here) ? (T & Here)[Key] : Sent<(T & Here)[Key]>;
};

/**
 * The result of a function that the other side calls. If the function is declared to return void, any result is
 * allowed, because nobody reads it.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: the type checks whether the result is declared void
type SentResult<T> = [void] extends [T] ? unknown : Sent<Awaited<T>> | PromiseLike<Sent<Awaited<T>>>;

/** The members of a result that can be used before it arrives. Null and undefined are ignored. */
type Steps<T> =
  IsAny<T> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: untyped values stay untyped
      any
    : [NonNullable<T>] extends [never]
      ? unknown
      : StepsOf<NonNullable<T>>;

type StepsOf<T> =
  T extends Subscription<unknown>
    ? AsyncIterable<T extends AsyncIterable<infer Item> ? Item : never>
    : T extends TargetMark
      ? RemoteMembers<T, LocalKey | keyof Promise<unknown>>
      : T extends Remote<infer Value>
        ? Steps<Value>
        : T extends Opaque | AnyFunction | AnyStream | PromiseLike<unknown>
          ? unknown
          : T extends ReadonlyMap<infer Key, infer Value>
            ? MapSteps<Key, Value>
            : T extends ReadonlySet<infer Item>
              ? SetSteps<Item>
              : T extends readonly unknown[]
                ? ListSteps<T[number]> & ItemSteps<T>
                : T extends AsyncIterable<infer Item>
                  ? IterableSteps<Item>
                  : RemoteMembers<T, LocalKey | keyof Promise<unknown>>;

/** Returns the outcome of each item. Without it, the first failure rejects the whole call. */
type Settling = { readonly settle: true };

/**
 * A result that a recorded callback may return: anything except a promise of the callback's own, such as an
 * asynchronous callback returns.
 */
type Recordable = string | number | boolean | bigint | null | undefined | Remote<unknown> | NoPromise;

type NoPromise = object & { readonly then?: undefined };

/** Methods that record a callback once, on this side, and run the recording for each item on the other side. */
type Mapping<T, Args extends readonly unknown[]> = {
  /**
   * Records the callback once, on this side, and runs the recording for each item on the other side. The callback
   * cannot be asynchronous. A map keeps its keys.
   */
  map<const Result extends Recordable>(callback: (...args: Args) => Result): RemotePromise<Mapped<T, Recorded<Result>>>;
  /** Does the same, but returns the outcome of each item, so that the failure of one does not fail the others. */
  map<const Result extends Recordable>(
    callback: (...args: Args) => Result,
    options: Settling,
  ): RemotePromise<Mapped<T, PromiseSettledResult<Recorded<Result>>>>;
  /** Keeps the items for which the callback returns a truthy value. The callback is recorded as for `map`. */
  filter(callback: (...args: Args) => Recordable): RemotePromise<T>;
};

/** A collection like `T`, with other items. */
type Mapped<T, Item> = T extends readonly unknown[]
  ? Item[]
  : T extends Map<infer Key, unknown>
    ? Map<Key, Item>
    : AsyncIterable<Item>;

type ListSteps<Item> = Mapping<Item[], [item: RemotePromise<Resolved<Item>>, index: RemotePromise<number>]> & {
  readonly length: RemotePromise<number>;
};

/** The items of a list of any length, or of a tuple, by their index. */
type ItemSteps<T extends readonly unknown[]> = number extends T['length']
  ? { readonly [index: number]: RemotePromise<Resolved<T[number]>> }
  : { readonly [Index in keyof T as Index extends `${number}` ? Index : never]-?: RemotePromise<Resolved<T[Index]>> };

type MapSteps<Key, Value> = Mapping<
  Map<Key, Value>,
  [value: RemotePromise<Resolved<Value>>, key: RemotePromise<Key>]
> & {
  readonly size: RemotePromise<number>;
};

type SetSteps<Item> = Mapping<Item[], [item: RemotePromise<Resolved<Item>>]> & {
  readonly size: RemotePromise<number>;
};

type IterableSteps<Item> = AsyncIterable<Received<Item>> &
  Mapping<AsyncIterable<Item>, [item: RemotePromise<Resolved<Item>>]>;
