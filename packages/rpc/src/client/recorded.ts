import type { Remote } from './remote.ts';
import type { AnyFunction, Opaque } from './value-kinds.ts';

/** Asks for the outcome of each item, where else the first failure would be that of all. */
export interface Settling {
  readonly settle: true;
}

/** What a recorded callback may return: anything but a promise of its own, which an asynchronous one would. */
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
