export { RpcTarget } from '#platform';
export { RPC_ERROR_CODES, RpcError } from './errors.ts';
export { type CallContext, type Caller, callContext, type SessionCounts } from './peer/context.ts';
export { expiring } from './server/callers.ts';
export { routeRpc } from './server/route.ts';
export { RpcObject } from './server/rpc-object.ts';
export { RpcServer, type RpcServerOptions } from './server/rpc-server.ts';
