// For applications.
// For transports of one's own.

export { RpcTarget } from '#platform';
export type { BackoffOptions } from './client/backoff.ts';
export { type ConnectOptions, connect, connectOver } from './client/connect.ts';
export { type Connection, connection } from './client/connection.ts';
export type { HeartbeatOptions } from './client/heartbeat.ts';
export type { ConnectionState } from './client/link-options.ts';
export type { Remote } from './client/remote.ts';
export type { ConnectionStatistics } from './client/statistics.ts';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './client/types.ts';
export type { RegisteredClasses, TargetMark } from './client/value-kinds.ts';
export { withOptions } from './client/with-options.ts';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from './errors/rpc-error.ts';
export type { Message } from './protocol/message.ts';
export type { SubscribeOptions, Subscription, TopicItem } from './protocol/topic-item.ts';
export type { RpcLimits } from './session/limits.ts';
export type { CallOptions } from './session/outgoing/node.ts';
export type { OpenTransport, Transport, TransportEvents } from './transport/transport.ts';
