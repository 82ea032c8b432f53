import type { RpcTarget } from '#platform';
import type { AnyStream, OneLess, Opaque, Remote, TargetMark } from '../types/value-kinds.ts';
import type { MethodOptions, StandardSchema } from './method-options.ts';

/**
 * Options that a class may declare for its methods and getters:
 * `static readonly rpc = { … } satisfies Methods<BoardApi, User>`. The compiler then checks the names, the options, the
 * results of schemas and the parameters of guards. `Identity` is the type that `authenticate` returns. Declared so, a subclass has to
 * keep each guard and each schema of its base, as with `{ ...Base.rpc.rename, idempotent: true }`, or give its own.
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type of its own each guard says what it takes
export type Methods<Api, Identity = any> = {
  readonly [Key in keyof Api as Exclude<Key, NeverRemote>]?: IsReadonly<Api, Key> extends true
    ? GetterOptions<Identity>
    : OptionsOf<Exclude<Api[Key], undefined>, Identity>;
};

/** Names of a class's members that are never called remotely. */
type NeverRemote = symbol | 'then' | 'toJSON' | 'constructor' | keyof RpcTarget;

/** True for a getter, also of a function, and for a field that cannot be set. A method is not readonly. */
type IsReadonly<Api, Key extends keyof Api> =
  (<T>() => T extends Pick<Api, Key> ? 1 : 2) extends <T>() => T extends Readonly<Pick<Api, Key>> ? 1 : 2
    ? true
    : false;

/**
 * True for a field that holds a function of some parameters. The compiler compares these strictly, but those of methods in either
 * direction. A field with a function of no parameters cannot be told from a method.
 */
type IsField<Member> = Member extends () => unknown ? false : ((first: never) => never) extends Member ? false : true;

type OptionsOf<Member, Identity> = Member extends (...args: infer Args) => infer Result
  ? IsField<Member> extends true
    ? Explained<'a field is no method: nobody can call it'>
    : OtherOptions<((...args: Args) => Result) extends Member ? Args : OverloadedArgs<Member>, Identity> &
        (IsStorable<Result> extends true ? Repeatable | Once : NeverOnce)
  : GetterOptions<Identity>;

/** The options that do not depend on the result. */
type OtherOptions<Args extends readonly unknown[], Identity> = Pick<MethodOptions<Args, Identity>, 'guard' | 'args'>;

interface GetterOptions<Identity> extends Pick<MethodOptions<[], Identity>, 'guard'> {
  /** Every getter is treated as if it were declared so. */
  readOnly?: Explained<'a getter is readOnly by itself'>;
}

/** A type that no value has, for the compiler to show its text beside the value that does not fit. */
type Explained<Text extends string> = Text & { readonly explained: never };

/** The parameters of up to four overloads. */
type OverloadedArgs<Method> = Method extends {
  (...args: infer Args1): unknown;
  (...args: infer Args2): unknown;
  (...args: infer Args3): unknown;
  (...args: infer Args4): unknown;
}
  ? Args1 | Args2 | Args3 | Args4
  : never;

interface Repeatable extends Omit<MethodOptions, 'guard' | 'args' | 'exactlyOnce'> {
  /** True if the method takes effect once, however often its call is sent: see `MethodOptions`. */
  exactlyOnce?: false | Explained<'a method that may run again is not exactlyOnce'>;
}

interface NeverOnce extends Omit<Repeatable, 'exactlyOnce'> {
  /** The method cannot take effect exactly once: see `MethodOptions`. */
  exactlyOnce?: false | Explained<'exactlyOnce needs a synchronous method that returns a value'>;
}

interface Once {
  /** The method takes effect once, however often its call is sent: see `MethodOptions`. */
  exactlyOnce: true;
  restorable?: false | Explained<'a method is exactlyOnce or restorable, not both'>;
  readOnly?: false | Explained<'a method is exactlyOnce or readOnly, not both'>;
  idempotent?: false | Explained<'a method is exactlyOnce or idempotent, not both'>;
}

/** Results that are not available when the method returns, or that are not values. */
type NeverStored =
  | PromiseLike<unknown>
  | AsyncIterable<unknown>
  | Generator
  | TargetMark
  | Remote<unknown>
  | ((...args: never) => unknown)
  | AnyStream
  /** Blob, File */
  | { readonly size: number; readonly type: string; arrayBuffer(): Promise<ArrayBuffer> }
  /** AbortSignal */
  | { readonly aborted: boolean; throwIfAborted(): void };

/** True if a method with this result can be `exactlyOnce`. This includes `any`, which may be a value. */
type IsStorable<Result> = [Result] extends [Stored<Result>] ? true : false;

/**
 * The result itself, but `never` wherever something in it cannot be stored. The search goes twelve levels deep, as that of `Data`.
 */
type Stored<T, Levels extends number = 12> = unknown extends T
  ? T
  : T extends NeverStored
    ? never
    : T extends Opaque
      ? T
      : Levels extends 0
        ? T
        : StoredParts<T, OneLess[Levels]>;

type StoredParts<T, Levels extends number> =
  T extends ReadonlyMap<infer Key, infer Value>
    ? ReadonlyMap<Stored<Key, Levels>, Stored<Value, Levels>>
    : T extends ReadonlySet<infer Item>
      ? ReadonlySet<Stored<Item, Levels>>
      : T extends readonly unknown[]
        ? number extends T['length']
          ? readonly Stored<T[number], Levels>[]
          : { readonly [Index in keyof T]: Stored<T[Index], Levels> }
        : // A copy of the instance of a class lacks what is private there, and is none.
          { readonly [Key in keyof T]: T[Key] } extends T
          ? { readonly [Key in keyof T]: Stored<T[Key], Levels> }
          : never;

/**
 * The API of a class as its callers see it, as in `connect<ApiOf<typeof Shop>>(url)`. A parameter with a schema in
 * `static rpc` has the type that the schema takes, and may be left out if the schema allows that. Only schemas whose
 * types `rpc` keeps are seen, as with `satisfies`.
 */
export type ApiOf<Class extends TypeofClass> = {
  [Key in keyof Class['prototype']]: ForCallers<Class['prototype'][Key], OptionsIn<Class, Key>>;
};

type OptionsIn<Class, Key> = Class extends { readonly rpc: { readonly [Name in Key & string]: infer Options } }
  ? Options
  : unknown;

/** A class itself, not its instances: `typeof Shop`. */
interface TypeofClass {
  readonly prototype: object;
}

type ForCallers<Member, Options> = Options extends { readonly args: infer Schemas }
  ? Member extends (...args: infer Args) => infer Result
    ? Called<Schemas extends StandardSchema ? Input<Schemas> : Unboxed<LeftOut<Inputs<Args, Schemas>>>, Result>
    : Member
  : Member;

// Taken from a method, whose parameters the compiler compares in both directions: the class's own are narrower.
type Called<Args, Result> = Args extends readonly unknown[] ? { method(...args: Args): Result }['method'] : never;

/** The type that a schema takes, as defined by the Standard Schema specification. */
type Input<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Value }
    ? Value
    : unknown
  : unknown;

/**
 * The inputs of the schemas, under the names of the method's parameters. Each is in a box, so that an optional
 * parameter of the method does not make it optional.
 */
type Inputs<Args extends unknown[], Schemas> = {
  [Index in keyof Args]-?: Box<Index extends keyof Schemas ? Input<Schemas[Index]> : undefined>;
};

interface Box<T = unknown> {
  readonly value: T;
}

type Unboxed<Boxes extends unknown[]> = {
  [Index in keyof Boxes]: Exclude<Boxes[Index], undefined> extends Box<infer Value> ? Value : never;
};

/**
 * Makes parameters at the end optional if they may be undefined. Each is cut off as a list, so that it keeps its name.
 */
type LeftOut<Boxes extends unknown[], After extends unknown[] = []> = Boxes extends [...infer Before, Box<infer Value>]
  ? undefined extends Value
    ? Boxes extends [...Before, ...infer Last]
      ? LeftOut<Before, [...Partial<Last>, ...After]>
      : never
    : [...Boxes, ...After]
  : [...Boxes, ...After];
