import type { Caller } from './call-context.ts';

/**
 * Options that a target's class gives a method: `static readonly rpc = { room: { restorable: true } }`. `Args` are the
 * method's parameters, `Identity` is what `authenticate` returns.
 */
// biome-ignore-start lint/suspicious/noExplicitAny: the identity and the arguments are the class's own
export interface MethodOptions<Args extends readonly unknown[] = any[], Identity = any> {
  /**
   * True if the target or function that the method returns can be derived again by calling it in the same way: see the
   * guide of references.
   */
  restorable?: boolean;
  /**
   * Says whether this caller may make this call, or read this getter: anything but `true` rejects it with `DENIED`, an
   * `RpcError` that it throws is passed on. It is given the arguments as the method will get them. Where it is
   * asynchronous, the method is too.
   */
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
  guard?: (caller: Caller<Identity>, ...args: Args) => boolean | Promise<boolean>;
  /**
   * Checks the arguments before anything else sees them: a Standard Schema of their list, or a list of one for each, which
   * then may be no more. The method gets what the schemas make of them. Otherwise the call rejects with
   * `INVALID_ARGUMENTS`, and the error's `data` is `{ issues: [{ message, path }] }`, where `path` begins with the place of
   * the argument.
   */
  args?: ArgumentSchemas<Args>;
  /**
   * It has no effect, and to run it whenever and however often does no harm: like what is idempotent, it is made again. In the
   * turn that connects, calls of nothing else travel with the request for the connection, which saves a round trip.
   */
  readOnly?: boolean;
  /** To run it twice does no harm: a call of it whose connection was lost is made again. */
  idempotent?: boolean;
  /**
   * It has its effect once, however often its call is made again: what it returns is stored in the transaction of its effects.
   * For synchronous methods of objects whose results are values. Where it throws, its effects are rolled back.
   */
  exactlyOnce?: boolean;
}

/**
 * A schema of any library that follows the Standard Schema specification, version 1, as Zod, Valibot, ArkType and more do.
 * `Output` is the type of what it returns.
 */
export interface StandardSchema<out Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/**
 * Outcome of validating a value: the output, which defaults and transforms may have changed, or what is wrong with it.
 */
export type StandardResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One schema of the arguments' list, or a list of one schema for each argument. */
export type ArgumentSchemas<Args extends readonly unknown[]> =
  | StandardSchema<Readonly<Args>>
  | { readonly [Index in keyof Args]: StandardSchema<Args[Index]> };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Returns true if a value has the interface. Schemas of some libraries are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return standard?.version === 1 && typeof standard.validate === 'function';
}
