import { placeOf, RpcError, withOptions } from '@lumenize/rpc';
import type { DataTag, QueryFunctionContext, QueryKey } from '@tanstack/query-core';

/** The options of a query that makes a call, for `useQuery`, `fetchQuery` and similar functions. */
export interface RpcQueryOptions<Result> {
  /** The key of the query. It names the target, the method and the arguments. */
  readonly queryKey: DataTag<QueryKey, Result>;
  /** Makes the call. The call is cancelled when no component shows the query any more. */
  readonly queryFn: (context: Pick<QueryFunctionContext, 'signal'>) => Promise<Result>;
  /** Returns true if the call is to be repeated: up to three times, if its error is `retryable`. */
  readonly retry: (failures: number, error: unknown) => boolean;
}

/** The options of a mutation that makes a call, for `useMutation`. */
export interface RpcMutationOptions<Args extends unknown[], Result> {
  /** The key of the mutation. It names the target and the method. */
  readonly mutationKey: QueryKey;
  /** Makes the call. The arguments are a list, as in `mutate(['Garden'])`; anything else is a `TypeError`. */
  readonly mutationFn: (args: Args) => Promise<Result>;
}

/** Numbers for the stubs and results that keys begin with, if they have no name that outlives the page. */
const numbers = new WeakMap<object, number>();
let last = 0;

/**
 * Returns the key of all queries of a stub. For a method, these are its queries with any arguments; for a target, those
 * of all its methods. `invalidateQueries({ queryKey: rpcKey(room.title) })` reloads them.
 * @throws {TypeError} if the value is not a stub, or is one of a result that was not awaited, which would be another one
 *   with each rendering
 */
export function rpcKey(stub: object): QueryKey {
  if (!placeOf(stub).isResult) return keyOf(stub);
  throw new TypeError(
    'a result is another one with each rendering, and no key: await it first, or write queryKey and queryFn',
  );
}

function keyOf(stub: object): QueryKey {
  const { start, path, destination } = placeOf(stub);
  if (!numbers.has(start)) numbers.set(start, ++last);
  // Only a URL is certain to differ between targets.
  const place = destination !== undefined && URL.canParse(destination) ? destination : numbers.get(start);
  return ['rpc', place, ...path];
}

/**
 * Returns a function that creates the options of queries that call a method: `useQuery(rpcQuery(room.title)())`,
 * `useQuery(rpcQuery(room.page)(2))`. Arguments are compared as JSON, as in all keys of TanStack Query. If JSON cannot
 * tell them apart, give the query a key of its own.
 * @throws {TypeError} if the value is not a stub, or is one of a result that was not awaited
 */
export function rpcQuery<Args extends unknown[], Result>(
  method: (...args: Args) => PromiseLike<Result>,
): (...args: Args) => RpcQueryOptions<Result> {
  const key = rpcKey(method);
  return (...args) => ({
    queryKey: [...key, args] as unknown as DataTag<QueryKey, Result>,
    queryFn: async ({ signal }) => await withOptions(method, { signal })(...args),
    retry: (failures, error) => failures < 3 && error instanceof RpcError && error.retryable,
  });
}

/**
 * Creates the options of mutations that call a method: `useMutation(rpcMutation(room.rename))`. Failed mutations are
 * not retried: the declaration of the method decides what happens to its calls if the connection is lost.
 * @throws {TypeError} if the value is not a stub
 */
export function rpcMutation<Args extends unknown[], Result>(
  method: (...args: Args) => PromiseLike<Result>,
): RpcMutationOptions<Args, Result> {
  const mutationFn = async (args: Args) => {
    if (!Array.isArray(args)) throw new TypeError(`mutate() needs a list of arguments, not ${typeof args}`);
    return await method(...args);
  };
  return { mutationKey: keyOf(method), mutationFn };
}
