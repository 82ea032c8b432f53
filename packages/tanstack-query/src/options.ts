import { placeOf, RpcError, withOptions } from '@lumenize/rpc';
import type { DataTag, QueryFunctionContext, QueryKey } from '@tanstack/query-core';

/** Options of a query that makes a call, for `useQuery`, `fetchQuery` and the like. */
export interface RpcQueryOptions<Result> {
  /** Names the method, where it is, and what it is called with. */
  readonly queryKey: DataTag<QueryKey, Result>;
  /** Makes the call. It is cancelled when nobody shows the query any more. */
  readonly queryFn: (context: Pick<QueryFunctionContext, 'signal'>) => Promise<Result>;
  /** Has the call made again, up to three times, if its error is `retryable`. */
  readonly retry: (failures: number, error: unknown) => boolean;
}

/** Options of a mutation that makes a call, for `useMutation`. */
export interface RpcMutationOptions<Args extends unknown[], Result> {
  /** Names the method, and where it is. */
  readonly mutationKey: QueryKey;
  /** Makes the call, with the arguments as a list: `mutate(['Garden'])`. */
  readonly mutationFn: (args: Args) => Promise<Result>;
}

/** Targets and results that keys begin with, which have no name that outlives the page. */
const numbers = new WeakMap<object, number>();
let last = 0;

/**
 * Returns the key of all queries of a stub: of a method with any arguments, or of all methods of a target. `invalidateQueries({ queryKey:
 * rpcKey(room.title) })` reloads them.
 * @throws {TypeError} if the value is no stub
 */
export function rpcKey(stub: object): QueryKey {
  const { start, path, destination } = placeOf(stub);
  // Only a URL is another one for another target.
  const place = destination !== undefined && URL.canParse(destination) ? destination : numberOf(start);
  return ['rpc', place, ...path];
}

function numberOf(start: object): number {
  if (!numbers.has(start)) numbers.set(start, ++last);
  return numbers.get(start)!;
}

/**
 * Makes the options of queries that call a method: `useQuery(rpcQuery(room.title)())`, `useQuery(rpcQuery(room.page)(2))`. Arguments are
 * compared as JSON, as all of TanStack's keys: where that cannot tell them apart, give the query a key of its own.
 * @throws {TypeError} if the value is no stub
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
 * Makes the options of mutations that call a method: `useMutation(rpcMutation(room.rename))`. They are not made again by themselves:
 * what a method declares says what a lost connection does to its calls.
 * @throws {TypeError} if the value is no stub
 */
export function rpcMutation<Args extends unknown[], Result>(
  method: (...args: Args) => PromiseLike<Result>,
): RpcMutationOptions<Args, Result> {
  return { mutationKey: rpcKey(method), mutationFn: async (args) => await method(...args) };
}
