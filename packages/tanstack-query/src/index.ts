export { type Changed, invalidateOn } from './invalidate.ts';
export { type RpcMutationOptions, type RpcQueryOptions, rpcKey, rpcMutation, rpcQuery } from './options.ts';
