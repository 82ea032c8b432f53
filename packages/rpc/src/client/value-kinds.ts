import type { Subscription } from '../protocol/topic.ts';

/**
 * Classes registered with `register` of the codec, so that the types know that their instances arrive whole, methods
 * included. Add to it by merging: `declare module '@lumenize/rpc' { interface RegisteredClasses { money: Money } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by those who merge with it
export interface RegisteredClasses {}

/** Marks a class as `RpcTarget`; the platform's own class has the same mark. */
export interface TargetMark {
  readonly __RPC_TARGET_BRAND: never;
}

// With T by itself too: otherwise it is decided before `any` is put in for a parameter that extends object.
export type IsAny<T> = [0, 1] extends [1 & T, T] ? true : false;

/** Any function: none is called with this type. */
export type AnyFunction = (...args: never) => unknown;

/** Keys of a target that are never remote: promises', JSON's, those that tools ask any value for, and the mark of targets. */
export type LocalKey =
  | symbol
  | 'then'
  | 'toJSON'
  | 'constructor'
  | 'asymmetricMatch'
  | `@@${string}`
  | keyof TargetMark;

/** Values that arrive whole and are not looked into. */
export type Opaque =
  | string
  | number
  | boolean
  | bigint
  | symbol
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: what a method without a result returns is declared so
  | void
  | Date
  | RegExp
  | Thrown
  | ArrayBuffer
  | ArrayBufferView
  | RegisteredClasses[keyof RegisteredClasses]
  | Subscription<unknown>
  // Classes of the web are recognised by what they have: not everyone's libraries declare them, and a name that is
  // declared nowhere would count as `any`.
  /** URL */
  | { readonly searchParams: WebList; toJSON(): string }
  | WebList
  /** Request, Response */
  | { readonly bodyUsed: boolean; readonly headers: WebList }
  /** Blob, File */
  | { readonly size: number; readonly type: string; arrayBuffer(): Promise<ArrayBuffer> }
  /** AbortSignal */
  | { readonly aborted: boolean; throwIfAborted(): void };

/** An error, but not data that has a name and a message: that errors may lack a stack is only in their types. */
type Thrown = Error & { readonly stack: string | undefined };

/** URLSearchParams, Headers, FormData */
interface WebList {
  append(name: string, value: string): void;
  delete(name: string): void;
  has(name: string): boolean;
}

/** The members of every ReadableStream, and of every WritableStream. */
export type AnyStream =
  | { readonly locked: boolean; getReader(): unknown }
  | { readonly locked: boolean; getWriter(): unknown };

/**
 * True for an object type that is a target although it does not extend `RpcTarget`: an interface that has methods and nothing
 * else. Where there is data beside them, it is data that holds functions.
 */
export type HasOnlyMethods<T> = string extends keyof T
  ? false
  : [T[Extract<keyof T, string>]] extends [never]
    ? false
    : IsAny<T[Extract<keyof T, string>]> extends true
      ? false
      : [T[Extract<keyof T, string>]] extends [AnyFunction | undefined]
        ? true
        : false;

declare const VALUE: unique symbol;

/**
 * Stands for a value of the other side: a stub, or a result that need not have arrived. It can be passed wherever
 * the other side takes such a value. The property is for types only, and not there at run time.
 */
export interface Remote<out T> {
  readonly [VALUE]: T;
}

declare const ELSEWHERE: unique symbol;

/** Marks the members of a stub, for types only. */
export interface Elsewhere {
  readonly [ELSEWHERE]: true;
}

/** Marks data that is here. Members of a stub look like data with results in it, also where there may be none. */
export interface Here {
  readonly [ELSEWHERE]?: undefined;
}

/**
 * The value itself, but `never` wherever something in it travels by reference: a type that is no subtype of it has such.
 * It is looked for twelve levels deep. Without an end, types of which each leads to the next would exhaust the compiler.
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

type OneLess = [never, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/** Asks for the outcome of each item, where else the first failure would be that of all. */
export interface Settling {
  readonly settle: true;
}

/** A result that a recorded callback may return: anything but a promise of its own, which an asynchronous one would. */
export type Recordable = string | number | boolean | bigint | null | undefined | Remote<unknown> | NoPromise;

type NoPromise = object & { readonly then?: undefined };

/** The other side's value that something with results in it stands for. */
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
