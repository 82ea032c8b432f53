import type { Remote } from './remote.ts';
import type { AnyFunction, AnyStream, HasOnlyMethods, Opaque, TargetMark } from './value-kinds.ts';

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
