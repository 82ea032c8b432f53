import type { RpcTarget } from '#platform';
import type { MethodOptions, StandardSchema } from '../session/incoming/method-options.ts';

/**
 * Options that a class may declare for its methods and getters: `static readonly rpc = { … } satisfies Methods<BoardApi, User>`. The compiler
 * then checks names, options, what schemas return, and what guards take. `Identity` is what `authenticate` returns.
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type of its own each guard says what it takes
export type Methods<Api, Identity = any> = {
  readonly [Key in keyof Api as Exclude<Key, NeverRemote>]?: OptionsOf<Exclude<Api[Key], undefined>, Identity>;
};

/** Names that are methods of a class and are never called remotely. */
type NeverRemote = symbol | 'then' | 'toJSON' | 'constructor' | keyof RpcTarget;

type OptionsOf<Member, Identity> = Member extends (...args: infer Args) => infer Result
  ? MethodOptions<((...args: Args) => Result) extends Member ? Args : OverloadedArgs<Member>, Identity> &
      (IsStorable<Result> extends true ? Again | Once : Again)
  : Pick<MethodOptions<[], Identity>, 'guard'>;

/** The parameters of up to four overloads. */
type OverloadedArgs<Method> = Method extends {
  (...args: infer Args1): unknown;
  (...args: infer Args2): unknown;
  (...args: infer Args3): unknown;
  (...args: infer Args4): unknown;
}
  ? Args1 | Args2 | Args3 | Args4
  : never;

interface Again {
  exactlyOnce?: false;
}

interface Once {
  exactlyOnce: true;
  restorable?: false;
  readOnly?: false;
  idempotent?: false;
}

/** Results that are not there when the method returns, or that are no values. */
type NeverStored =
  | PromiseLike<unknown>
  | AsyncIterable<unknown>
  | Generator
  | RpcTarget
  | ((...args: never) => unknown);

/** True if a method with this result can be `exactlyOnce`: also with `any`, which may be a value. */
type IsStorable<Result> = 0 extends 1 & Result ? true : [Extract<Result, NeverStored>] extends [never] ? true : false;

/**
 * The API of a class as its callers see it: parameters that `static rpc` has schemas for are what these take, and may be left out
 * where the schema accepts that. `connect<ApiOf<typeof Shop>>(url)`. Only schemas whose types `rpc` keeps are seen, as with `satisfies`.
 */
export type ApiOf<Class extends { readonly prototype: object }> = Class extends { readonly rpc: infer Options }
  ? {
      [Key in keyof Class['prototype']]: ForCallers<
        Class['prototype'][Key],
        Key extends keyof Options ? Options[Key] : unknown
      >;
    }
  : Class['prototype'];

type ForCallers<Member, Options> = Options extends { readonly args: infer Schemas }
  ? Member extends (...args: infer Args) => infer Result
    ? Called<Schemas extends StandardSchema ? Input<Schemas> : Unboxed<LeftOut<Inputs<Args, Schemas>>>, Result>
    : Member
  : Member;

// Of a method, whose parameters the compiler compares both ways: the class's own are narrower.
type Called<Args, Result> = Args extends readonly unknown[] ? { method(...args: Args): Result }['method'] : never;

/** The type of what a schema takes, as the specification has it. */
type Input<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Value }
    ? Value
    : unknown
  : unknown;

/** The inputs of the schemas, under the names of the method's parameters. In a box each, so that none is optional for the method's sake. */
type Inputs<Args extends unknown[], Schemas> = {
  [Index in keyof Args]-?: Box<Index extends keyof Schemas ? Input<Schemas[Index]> : undefined>;
};

interface Box<T = unknown> {
  readonly value: T;
}

type Unboxed<Boxes extends unknown[]> = {
  [Index in keyof Boxes]: Exclude<Boxes[Index], undefined> extends Box<infer Value> ? Value : never;
};

/** Makes the parameters at the end optional that may be undefined. Cut off as a list, a parameter keeps its name. */
type LeftOut<Boxes extends unknown[], After extends unknown[] = []> = Boxes extends [...infer Before, Box<infer Value>]
  ? undefined extends Value
    ? Boxes extends [...Before, ...infer Last]
      ? LeftOut<Before, [...Partial<Last>, ...After]>
      : never
    : [...Boxes, ...After]
  : [...Boxes, ...After];
