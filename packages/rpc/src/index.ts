// Exports for applications, and for transports of your own.

export { RpcTarget } from '#platform';
export type { BackoffOptions } from './client/backoff.ts';
export { connect, connectOver } from './client/connect.ts';
export {
  type Connection,
  type ConnectionStatistics,
  connection,
  placeOf,
  type StubPlace,
  withOptions,
} from './client/connection.ts';
export type { ConnectionState, ConnectOptions } from './client/options.ts';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './client/types.ts';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from './errors/rpc-error.ts';
export type { Message } from './protocol/message.ts';
export type { Position, SubscribeOptions, Subscription, TopicItem } from './protocol/topic.ts';
export type { Recorded, RegisteredClasses, Remote, TargetMark } from './protocol/value-kinds.ts';
export type { HeartbeatOptions } from './session/extension.ts';
export type { RpcLimits } from './session/limits.ts';
export type { CallOptions } from './session/outgoing/node.ts';
export type { OpenTransport, Transport, TransportEvents } from './transport/transport.ts';
