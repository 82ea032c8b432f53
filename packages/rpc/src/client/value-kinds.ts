import type { Subscription } from '../protocol/topic-item.ts';

/**
 * Classes registered with `register` of the codec, so that the types know that their instances arrive whole, methods
 * included. Add to it by merging: `declare module '@lumenize/rpc' { interface RegisteredClasses { money: Money } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by those who merge with it
export interface RegisteredClasses {}

/** What marks a class as `RpcTarget`; the platform's own class has the same mark. */
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

/** What arrives whole and is not looked into. */
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
  | WebLink
  | WebList
  | WebBody
  | WebBytes
  | WebSignal;

/** An error, but not data that has a name and a message: that errors may lack a stack is only in their types. */
type Thrown = Error & { readonly stack: string | undefined };

// Classes of the web are recognised by what they have: not everyone's libraries declare them, and a name that is
// declared nowhere would count as `any`.

/** URL */
interface WebLink {
  readonly searchParams: WebList;
  toJSON(): string;
}

/** URLSearchParams, Headers, FormData */
interface WebList {
  append(name: string, value: string): void;
  delete(name: string): void;
  has(name: string): boolean;
}

/** Request, Response */
interface WebBody {
  readonly bodyUsed: boolean;
  readonly headers: WebList;
}

/** Blob, File */
interface WebBytes {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** AbortSignal */
interface WebSignal {
  readonly aborted: boolean;
  throwIfAborted(): void;
}

/** What every ReadableStream and every WritableStream has. */
export type AnyStream =
  | { readonly locked: boolean; getReader(): unknown }
  | { readonly locked: boolean; getWriter(): unknown };

/**
 * Whether an object type is a target although it does not extend `RpcTarget`: an interface that has methods and nothing
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
