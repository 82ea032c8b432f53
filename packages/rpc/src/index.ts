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
export type { HeartbeatOptions } from './client/heartbeat.ts';
export type { ConnectionState, ConnectOptions } from './client/options.ts';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from './errors.ts';
export type { CallOptions } from './peer/options.ts';
export type { OpenTransport, Transport, TransportEvents } from './transport/transport.ts';
export type { PeerLimits } from './types/limits.ts';
export type { Message } from './types/message.ts';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './types/stub.ts';
export type { Position, SubscribeOptions, Subscription, TopicItem } from './types/topic.ts';
export type { Recorded, RegisteredClasses, Remote, TargetMark } from './types/value-kinds.ts';
