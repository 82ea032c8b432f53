// For applications.
export { RpcTarget } from '#platform';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
export type { Caller } from './caller.ts';
export type { RpcLimits } from './limits.ts';
export type { RpcServerOptions } from './options.ts';
export { type RouteRpcOptions, routeRpc } from './route-rpc.ts';
export { RpcObject } from './rpc-object.ts';

// For classes that cannot extend RpcObject.
export { type CreateRpcServerOptions, createRpcServer, type RpcServer } from './rpc-server.ts';
