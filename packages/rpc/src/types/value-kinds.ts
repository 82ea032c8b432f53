import type { Subscription } from './topic.ts';

/**
 * Classes registered with the codec's `register`, so that the types know that their instances arrive whole, methods
 * included. Add a class by declaration merging:
 * `declare module '@lumenize/rpc' { interface RegisteredClasses { money: Money } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: users fill it by declaration merging
export interface RegisteredClasses {}

/** Marks a class as an `RpcTarget`. The platform's own class has the same mark. */
export interface TargetMark {
  readonly __RPC_TARGET_BRAND: never;
}

// The pair compares `T` by itself as well. Otherwise the type is resolved before `any` replaces a parameter that
// extends object.
type IsAny<T> = [0, 1] extends [1 & T, T] ? true : false;

/** Any function. It is never called through this type. */
export type AnyFunction = (...args: never) => unknown;

/** Values that arrive whole, and whose members are not examined. */
export type Opaque =
  | string
  | number
  | boolean
  | bigint
  | symbol
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: methods without a result are declared to return void
  | void
  | Date
  | RegExp
  | Thrown
  | ArrayBuffer
  | ArrayBufferView
  | RegisteredClasses[keyof RegisteredClasses]
  | Subscription<unknown>
  // Web classes are recognised by their members: not every project includes the library that declares them, and an
  // undeclared name would count as `any`.
  /** URL */
  | { readonly searchParams: WebList; toJSON(): string }
  | WebList
  /** Request, Response */
  | { readonly bodyUsed: boolean; readonly headers: WebList }
  /** Blob, File */
  | { readonly size: number; readonly type: string; arrayBuffer(): Promise<ArrayBuffer> }
  /** The classes of Temporal */
  | { readonly [Symbol.toStringTag]: `Temporal.${string}` }
  /** AbortSignal */
  | { readonly aborted: boolean; throwIfAborted(): void };

/**
 * An error, as opposed to data that has a name and a message. Every error has a `stack`; only its type allows it to be
 * missing.
 */
type Thrown = Error & { readonly stack: string | undefined };

/** URLSearchParams, Headers, FormData */
interface WebList {
  append(name: string, value: string): void;
  delete(name: string): void;
  has(name: string): boolean;
}

/** The members of every ReadableStream or WritableStream. */
export type AnyStream =
  | { readonly locked: boolean; getReader(): unknown }
  | { readonly locked: boolean; getWriter(): unknown };

/**
 * True for an object type that has methods and nothing else. Such an interface counts as a target although it does not
 * extend `RpcTarget`. An object type with both methods and data counts as data that holds functions, and so does one with an
 * optional method: on a stub that method would never be undefined.
 */
export type HasOnlyMethods<T> = string extends keyof T
  ? false
  : [T[Extract<keyof T, string>]] extends [never]
    ? false
    : IsAny<T[Extract<keyof T, string>]> extends true
      ? false
      : [T[Extract<keyof T, string>]] extends [AnyFunction]
        ? true
        : false;

declare const VALUE: unique symbol;

/**
 * Stands for a value of the other side: a stub, or a result that may not have arrived yet. It can be passed wherever
 * the other side takes such a value. The property exists only in the types, not at run time.
 */
export interface Remote<out T> {
  readonly [VALUE]: T;
}

declare const ELSEWHERE: unique symbol;

/** Marks the members of a stub. The mark exists only in the types. */
export interface Elsewhere {
  readonly [ELSEWHERE]: true;
}

/**
 * Marks data of this side. Without the mark, the members of a stub would pass for data that holds results, even where
 * no results are allowed.
 */
export interface Here {
  readonly [ELSEWHERE]?: undefined;
}

/**
 * The value itself, but `never` wherever something in it travels by reference. So a type that is not a subtype of its
 * `Data` contains such a value. The search goes twelve levels deep: without a bound, types that lead to ever new types
 * would exhaust the compiler.
 */
export type Data<T, Levels extends number = 12> = unknown extends T
  ? unknown
  : T extends Opaque
    ? T
    : T extends AnyFunction | TargetMark | AnyStream | AsyncIterable<unknown> | PromiseLike<unknown> | Remote<unknown>
      ? never
      : Levels extends 0
        ? unknown
        : DataOf<T, OneLess[Levels]>;

type DataOf<T, Levels extends number> =
  T extends ReadonlyMap<infer Key, infer Value>
    ? ReadonlyMap<Data<Key, Levels>, Data<Value, Levels>>
    : T extends ReadonlySet<infer Item>
      ? ReadonlySet<Data<Item, Levels>>
      : T extends readonly unknown[]
        ? number extends T['length']
          ? readonly Data<T[number], Levels>[]
          : { readonly [Index in keyof T]: Data<T[Index], Levels> }
        : HasOnlyMethods<T> extends true
          ? never
          : { readonly [Key in keyof T]: Data<T[Key], Levels> };

export type OneLess = [never, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/** The value on the other side that corresponds to a value with remote results in it. */
export type Recorded<T> =
  T extends Remote<infer Value>
    ? Value
    : T extends Opaque | AnyFunction
      ? T
      : T extends Map<infer Key, infer Value>
        ? Map<Recorded<Key>, Recorded<Value>>
        : T extends Set<infer Item>
          ? Set<Recorded<Item>>
          : { -readonly [Key in keyof T]: Recorded<T[Key]> };
