import type { Subscription } from '../protocol/topic.ts';
import type {
  AnyFunction,
  AnyStream,
  Data,
  Elsewhere,
  HasOnlyMethods,
  Here,
  IsAny,
  LocalKey,
  Opaque,
  Recordable,
  Recorded,
  Remote,
  Settling,
  TargetMark,
} from './value-kinds.ts';

// The types that people see are no conditional types themselves, so that editors and messages show them by name.

/**
 * A target, or a function, of the other side: the target's methods and getters, all asynchronous, and calls where it is
 * a function. Disposing it lets go of it; disposing what `connect` returned closes the connection.
 */
export type Stub<T> = StubMembers<T> & Remote<T> & Disposable;

/**
 * The result of a remote call: a promise of what arrives, and before that a stub of it, whose members can be used at
 * once and travel in the same frame. Disposing it lets go of what it refers to.
 */
export type RemotePromise<T> = Promise<Received<T>> & Steps<T> & Remote<T> & Disposable;

type StubMembers<T> =
  IsAny<T> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: what is untyped stays untyped
      any
    : T extends AnyFunction
      ? Method<T>
      : RemoteMembers<T>;

/** The members of a target, or of data, that can be reached through a stub. One that may be missing rejects where it is. */
export type RemoteMembers<T, Local = LocalKey> = {
  readonly [Key in keyof (T & Elsewhere) as Key extends keyof Elsewhere
    ? Key
    : Key extends Local
      ? never
      : Key]-?: Key extends keyof Elsewhere ? true : Member<(T & Elsewhere)[Key]>;
};

type Member<T> = [T] extends [undefined]
  ? RemotePromise<T>
  : IsAny<T> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: what is untyped stays untyped
      any
    : [T] extends [AnyFunction | undefined]
      ? Method<Exclude<T, undefined>>
      : RemotePromise<Resolved<T>>;

/** A function called remotely. What is put together from its parameters and result may say less than it did itself. */
type Method<T> = T extends (...args: infer Args) => infer Result
  ? ((...args: Args) => Result) extends T
    ? Call<Args, Result>
    : RichMethod<T>
  : never;

type Call<Args extends unknown[], Result> = (...args: SentList<Args>) => RemotePromise<Resolved<Result>>;

/** The other side's value that a result comes to: a promise's, or another remote result's. */
type Resolved<T> = T extends Promise<unknown> & Remote<infer Value> ? Value : Awaited<T>;

/** Infers up to four overloads: where there are fewer, the first one is inferred again, which changes nothing. */
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

// The language cannot rewrite a signature and keep its type parameters. So those that are frequent are recognised;
// where none is, parameters and results are as wide as the constraints.
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

/** A value as it arrives: the value that was sent, but stubs for the targets and functions in it. */
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
            ? Promise<Received<Value>>
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

type ArrivedStream<T> = T extends ReadableStream<infer Chunk> ? ReadableStream<Received<Chunk>> : T;

// Lists of any length are not mapped, as tuples are: that looks at their items at once, and a tree would never end.
type ArrivedList<T extends readonly unknown[]> = number extends T['length']
  ? T extends unknown[]
    ? Received<T[number]>[]
    : readonly Received<T[number]>[]
  : { [Index in keyof T]: Received<T[Index]> };

type ReceivedList<Args extends unknown[]> = { [Index in keyof Args]: Received<Args[Index]> };

/** A value that can be sent where the other side takes a `T`: the value, or what stands for it or for a part of it. */
export type Sent<T> = SentValue<T> | Remote<T>;

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
                    ? readonly Sent<T[number]>[]
                    : SentTuple<T>
                  : T extends TargetMark
                    ? T | SentMembers<T>
                    : SentMembers<T>;

// With its items as properties, since those are looked at one by one: mapped as a tuple, one that contains itself would
// never end.
type SentTuple<T extends readonly unknown[]> = {
  readonly [Index in keyof T as Index extends `${number}` | 'length' ? Index : never]: Index extends 'length'
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

/** The result of a function that the other side calls: anything, where nobody looks at it. */
// biome-ignore lint/suspicious/noConfusingVoidType: what it asks is whether the result is declared void
type SentResult<T> = [void] extends [T] ? unknown : Sent<Awaited<T>> | PromiseLike<Sent<Awaited<T>>>;

/** The members of a result that can be used before it arrives, whatever it is besides null and undefined. */
type Steps<T> =
  IsAny<T> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: what is untyped stays untyped
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

/** Records a callback once, here, and runs what it did for each item on the other side. */
interface Mapping<T, Args extends readonly unknown[]> {
  /** Records the callback once, here, and runs what it did for each item on the other side. It cannot be asynchronous. Keys of a map stay. */
  map<const Result extends Recordable>(callback: (...args: Args) => Result): RemotePromise<Mapped<T, Recorded<Result>>>;
  /** The same, but where it fails for some items the others arrive nevertheless. */
  map<const Result extends Recordable>(
    callback: (...args: Args) => Result,
    options: Settling,
  ): RemotePromise<Mapped<T, PromiseSettledResult<Recorded<Result>>>>;
  /** Keeps the items for which the callback, recorded as for `map`, comes to something truthy. */
  filter(callback: (...args: Args) => Recordable): RemotePromise<T>;
}

/** A collection like `T`, of other items. */
type Mapped<T, Item> = T extends readonly unknown[]
  ? Item[]
  : T extends Map<infer Key, unknown>
    ? Map<Key, Item>
    : AsyncIterable<Item>;

interface ListSteps<Item> extends Mapping<Item[], [item: RemotePromise<Resolved<Item>>]> {
  readonly length: RemotePromise<number>;
  at(index: Sent<number>): RemotePromise<Resolved<Item> | undefined>;
  slice(start?: Sent<number>, end?: Sent<number>): RemotePromise<Item[]>;
  includes(item: Sent<Item>): RemotePromise<boolean>;
  indexOf(item: Sent<Item>): RemotePromise<number>;
  join(separator?: Sent<string>): RemotePromise<string>;
}

/** The items of a list of any length, or of a tuple, by their places. */
type ItemSteps<T extends readonly unknown[]> = number extends T['length']
  ? { readonly [index: number]: RemotePromise<Resolved<T[number]>> }
  : { readonly [Index in keyof T as Index extends `${number}` ? Index : never]-?: RemotePromise<Resolved<T[Index]>> };

interface MapSteps<Key, Value>
  extends Mapping<Map<Key, Value>, [value: RemotePromise<Resolved<Value>>, key: RemotePromise<Key>]> {
  readonly size: RemotePromise<number>;
  get(key: Sent<Key>): RemotePromise<Resolved<Value> | undefined>;
  has(key: Sent<Key>): RemotePromise<boolean>;
}

interface SetSteps<Item> {
  readonly size: RemotePromise<number>;
  has(item: Sent<Item>): RemotePromise<boolean>;
}

type IterableSteps<Item> = AsyncIterable<Received<Item>> &
  Mapping<AsyncIterable<Item>, [item: RemotePromise<Resolved<Item>>]>;
