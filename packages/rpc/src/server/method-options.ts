import type { Caller } from '../types/call-context.ts';

/**
 * Options that a target's class gives a method: `static readonly rpc = { room: { restorable: true } }`. `Args` are the
 * method's parameters, and `Identity` is the type of the value that `authenticate` returns.
 */
// biome-ignore-start lint/suspicious/noExplicitAny: the identity and the arguments are the class's own
export interface MethodOptions<Args extends readonly unknown[] = any[], Identity = any> {
  /**
   * True if the target or function that the method returns can be derived again by calling the method in the same way:
   * see the guide to references.
   */
  restorable?: boolean;
  /**
   * Decides whether this caller may make this call, or read this getter. Any result but `true` rejects the call with
   * `DENIED`, and an `RpcError` that the guard throws is passed on to the caller. The guard gets the arguments as the
   * method will get them, and no `this`. If the guard is asynchronous, the method is too.
   */
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
  guard?: (this: void, caller: Caller<Identity>, ...args: Args) => boolean | Promise<boolean>;
  /**
   * Checks the arguments before anything else sees them. It is a Standard Schema of the list of arguments, or a list of
   * schemas, one for each argument; with a list, a call may have no more arguments than schemas. The method gets the
   * output of the schemas. Invalid arguments reject the call with `INVALID_ARGUMENTS`. The error's `data` is
   * `{ issues: [{ message, path }] }`, where `path` begins with the place of the argument.
   */
  args?: ArgumentSchemas<Args>;
  /**
   * The method has no effect, so running it at any time and any number of times does no harm. Its calls are sent again
   * like those of an idempotent method. In the turn that connects, calls travel with the request for the connection if
   * all of them are read-only, which saves a round trip.
   */
  readOnly?: boolean;
  /** Running the method twice does no harm, so a call of it is sent again if its connection was lost. */
  idempotent?: boolean;
  /**
   * The method takes effect once, however often its call is sent: its result is stored in the same transaction as
   * its effects. It is for synchronous methods of objects, and the result must be a value. If the method throws, its
   * effects are rolled back.
   */
  exactlyOnce?: boolean;
}

/**
 * A schema of any library that follows the Standard Schema specification, version 1, such as Zod, Valibot and ArkType.
 * `Output` is the type of the value that it returns.
 */
export interface StandardSchema<out Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/**
 * The outcome of validating a value: the output, which defaults and transforms may have changed, or the issues found.
 */
export type StandardResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One schema for the list of arguments, or a list with one schema for each argument. */
export type ArgumentSchemas<Args extends readonly unknown[]> =
  | StandardSchema<Readonly<Args>>
  | { readonly [Index in keyof Args]: StandardSchema<Args[Index]> };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Returns true if a value is a Standard Schema. Schemas of some libraries are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return standard?.version === 1 && typeof standard.validate === 'function';
}
