export { RpcTarget } from '#platform';
export { RPC_ERROR_CODES, RpcError } from './errors.ts';
export { type CallContext, type Caller, callContext, type SessionCounts } from './peer/context.ts';
export { expiring } from './server/callers.ts';
export type { ConnectedCaller, SubscribedTopic } from './server/connections.ts';
export type { RpcMetrics } from './server/metrics.ts';
export type { RateLimit, RateLimits } from './server/rates.ts';
export { type Credentials, type RouteRpcOptions, routeRpc } from './server/route-rpc.ts';
export { RpcEntrypoint, RpcObject } from './server/rpc-object.ts';
export {
  type CreateRpcServerOptions,
  createRpcServer,
  RpcServer,
  type RpcServerOptions,
} from './server/rpc-server.ts';
export { type ServeOptions, serveOver } from './server/serve.ts';
export { type ServeRpcOptions, serveRpc } from './server/serve-rpc.ts';
export type { ServerLimits, ServerOptions } from './server/settings.ts';
export type { Served, Transport } from './transport/transport.ts';
