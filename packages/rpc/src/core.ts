// Exports for applications, and for transports and extensions of your own.

export type { BackoffOptions } from './client/backoff.ts';
export {
  type Connection,
  type ConnectionStatistics,
  connection,
  placeOf,
  type StubPlace,
  stateOf,
  withOptions,
} from './client/connection.ts';
export { connect, connectOver } from './client/core.ts';
export type { ConnectionState, ConnectOptions } from './client/options.ts';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './client/types.ts';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from './errors/rpc-error.ts';
export type { FrameEntries, FrameHandler } from './protocol/frame-reader.ts';
export type { Message } from './protocol/message.ts';
export type { Recorded, RegisteredClasses, Remote, TargetMark } from './protocol/value-kinds.ts';
export type {
  Extension,
  ExtensionSession,
  ExtensionState,
  HeartbeatOptions,
  ReceivedArgument,
  ValueKind,
} from './session/extension.ts';
export type { RpcLimits } from './session/limits.ts';
export type { CallOptions, PrepareArguments } from './session/outgoing/node.ts';
export type { OpenTransport, Transport, TransportEvents } from './transport/transport.ts';
