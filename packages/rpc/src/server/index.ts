// For applications.
export { RpcTarget } from '#platform';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from '../client/types.ts';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
export type { Position, SubscribeOptions, Subscription, TopicItem } from '../protocol/topic.ts';
export type { Recorded, Remote } from '../protocol/value-kinds.ts';
export type { CallContext, Caller, SessionCounts } from '../session/incoming/call-context.ts';
export { callContext } from '../session/incoming/current-call.ts';
export type { MethodOptions, StandardSchema } from '../session/incoming/method-options.ts';
export type { RpcLimits } from '../session/limits.ts';
// For custom transports.
export type { Peer, Transport } from '../transport/transport.ts';
export { type Expiring, expiring } from './access/caller.ts';
export type { ConnectedCaller } from './connections/connections.ts';
export { storeReference } from './connections/stored-references.ts';
export type { StoredResultsOptions } from './delivery/stored-results-options.ts';
// For classes that cannot extend RpcObject.
export { createRpcServer, type RpcMetrics, type RpcServer } from './durable-server.ts';
export type { RateLimit, RateLimits } from './limits/rates.ts';
export type { ApiOf, Methods } from './methods.ts';
export type { CreateRpcServerOptions, Reauthenticate, RpcServerOptions, ServeOptions } from './options.ts';
export { type Credentials, type RouteRpcOptions, routeRpc } from './route-rpc.ts';
export { RpcEntrypoint, RpcObject } from './rpc-object.ts';
export { type ServeRpcOptions, serveRpc } from './serve-rpc.ts';
export { serveOver } from './session.ts';
export type { Topic, TopicOptions } from './topics/topic.ts';
